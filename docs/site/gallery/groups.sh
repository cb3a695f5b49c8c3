awk 'BEGIN { srand(3); for (j = 0; j < 60; j++) printf("item%d,", j); print "score"
             for (i = 0; i < 100; i++) { score = 0
                 for (j = 0; j < 60; j++) { v = 2 * rand() - 1; printf("%.4f,", v); score += (j < 2) * v - (j == 10) * v }
                 print score + rand() } }' > items.csv
awk 'BEGIN { for (j = 0; j < 60; j++) print int(j / 5) }' > topics.txt
spdhg fit items.csv --loss squared --penalty group --groups topics.txt --also-sparse 1 --lambda 0.02 -o items.json
spdhg show items.json | head -12
