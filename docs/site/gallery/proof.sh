spdhg generate chain --rows 2000 --features 40 --seed 2 -o spectra.csv
spdhg fit spectra.csv --loss squared --structure chain --lambda 0.01 --solver spdhg --epochs 20 -o stochastic.json
spdhg fit spectra.csv --loss squared --structure chain --lambda 0.01 -o exact.json
