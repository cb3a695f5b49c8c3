awk 'BEGIN { srand(1); for (m = 0; m < 8; m++) for (k = 0; k < 10; k++) printf("g%d%d,", m, k); print "ill"
             for (i = 0; i < 160; i++) { score = 0
                 for (m = 0; m < 8; m++) { driver = 2 * rand() - 1
                     for (k = 0; k < 10; k++) { v = driver + 2 * rand() - 1; printf("%.4f,", v); score += (m == 0) * v - (m == 1) * v } }
                 print (score + 4 * rand() - 2 > 0 ? "yes" : "no") } }' > patients.csv
awk 'BEGIN { for (m = 0; m < 8; m++) for (k = 1; k < 10; k++) printf("g%d0,g%d%d\n", m, m, k) }' > network.csv
spdhg path patients.csv --structure edges:network.csv --also-sparse 1 --folds 3 --lambdas 12 --coefficients genes.csv -o genes.json --report genes.html
