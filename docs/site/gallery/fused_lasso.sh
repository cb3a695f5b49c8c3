awk 'BEGIN { srand(1); print "position,value"
             for (i = 1; i <= 240; i++) { level = i <= 60 ? 0 : i <= 110 ? 0.6 : i <= 170 ? 0 : i <= 190 ? -1 : 0
                                          print i "," level + 0.9 * (rand() - 0.5) } }' > probes.csv
spdhg denoise probes.csv --positions position -o levels.csv --report levels.html
