awk 'BEGIN { srand(5); print "P2 64 64 255"
             for (i = 0; i < 64; i++) for (j = 0; j < 64; j++) {
                 v = 0.2 + 0.6 * ((i - 28)^2 + (j - 24)^2 < 260) + 0.35 * (j > 40 && i > 30) + 0.6 * (rand() - 0.5)
                 print int(255 * (v < 0 ? 0 : v > 1 ? 1 : v)) } }' > photo.pgm
spdhg denoise photo.pgm --structure grid --isotropic -o clean.pgm
