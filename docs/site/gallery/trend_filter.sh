awk 'BEGIN { srand(3); print "time,value"
             for (i = 0; i < 200; i++) { t = i / 199; level = t < 0.3 ? 10 * t : t < 0.65 ? 3 - (t - 0.3) * 5.7 : 1 + (t - 0.65) * 7.1
                                         print t "," level + 1.4 * (rand() - 0.5) } }' > bent.csv
spdhg denoise bent.csv --structure trend:1 --positions time -o bent.lines.csv --report bent.html
