spdhg generate chain --rows 300 --features 60 --noise 1 --seed 7 -o spectra.csv
spdhg path spectra.csv --loss squared --structure chain --folds 5 --lambdas 30 -o spectra.json --report spectra.html
spdhg show spectra.json | head -12
