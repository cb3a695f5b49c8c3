# test_mistakes.py - mistakes people make, each with its exit status and a message that names the remedy.
import re
import unittest
import zipfile

from cli_support import CommandTest, csv, rows, svm

GOOD = "a,b,class\n" + "".join(f"{i % 7},{i * i % 5},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(40))
NUMBERS = "a,b,y\n" + "".join(f"{i % 7},{i * i % 5},{i % 7 + 0.1 * (i % 3)}\n" for i in range(40))


def put(text, line, column, cell, separator=","):
    """The table with one cell changed; line 0 is the header."""
    lines = [row.split(separator) for row in text.splitlines()]
    lines[line][column] = cell
    return "\n".join(separator.join(row) for row in lines) + "\n"


class Mistakes(CommandTest):
    seen = set()  # messages without places and numbers

    def setUp(self):
        super().setUp()
        self.write("good.csv", GOOD)
        self.write("numbers.csv", NUMBERS)
        self.spdhg("fit", "good.csv", "-q", "-o", "model.json")

    def wrong(self, words, status, *says):
        done = self.spdhg(*words.split(), status=status)
        for text in says:
            self.assertIn(text, done.err)
        self.assertLessEqual(done.err.count("\n"), 3, done.err)
        Mistakes.seen.add(re.sub(r"\d+|'[^']*'", "", done.err))
        return done.err

    def table(self, content, status, *says, words="fit t.csv"):
        self.write("t.csv", content)
        self.wrong(words, status, *says)

    def test_files_that_are_no_tables(self):
        with zipfile.ZipFile(self.path("t.zip"), "w") as archive:
            archive.writestr("t.csv", GOOD)
        with zipfile.ZipFile(self.path("t.xlsx"), "w") as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr("xl/workbook.xml", "<workbook/>")
        self.wrong("fit t.zip", 3, "ZIP archive", "unpack it")
        self.wrong("fit t.xlsx", 3, "Excel workbook", "save the sheet as CSV")
        self.wrong("fit model.json", 3, "is a model", "spdhg predict MODEL DATA")
        self.wrong("predict good.csv model.json", 3, "good.csv", "not JSON")
        self.table("%PDF-1.4 something\n", 3, "PDF document", "CSV")
        self.table("<!DOCTYPE html><html></html>\n", 3, "web page", "CSV")
        self.table('{"a": [1, 2]}\n', 3, "JSON", "CSV")
        self.table(b"PAR1" + bytes(40), 3, "Parquet", "to_csv")
        self.table("", 3, "has no rows")
        self.wrong("fit nowhere.csv", 5, "nowhere.csv", "No such file")

    def test_cells(self):
        self.table(put(NUMBERS, 3, 0, "NA"), 3, "t.csv:4:1", "column 'a' has no value", "--missing drop", "mean or median", words="fit t.csv --loss squared")
        self.table(put(NUMBERS, 3, 1, "NaN"), 3, "t.csv:4:3", "--missing", words="fit t.csv --loss squared")
        self.table(put(NUMBERS, 3, 1, ""), 3, "found nothing", "--missing", words="fit t.csv --loss squared")
        self.table(put(NUMBERS, 5, 1, "many"), 3, "t.csv:6:3", "found 'many' in column 'b'", "--categorical 'b'", words="fit t.csv --loss squared")
        self.table(put(NUMBERS, 5, 1, "1.5 "), 0, words="fit t.csv --loss squared -q")
        self.table(put(NUMBERS, 5, 1, "12%"), 3, "found '12%'", "without separators, signs and units", words="fit t.csv --loss squared")
        self.table('a,y\n"1,200",3\n2,4\n', 3, "'1,200'", "without separators", words="fit t.csv --loss squared")
        self.table("a;b;y\n1,5;2;3\n1.5;2;4\n", 3, "both decimal commas and points", words="fit t.csv --loss squared")
        self.table("day,a,y\n" + "".join(f"2024-01-{i + 10},{i},{i}\n" for i in range(20)), 3, "'2024-01-10', a date", "--drop 'day'", words="fit t.csv --loss squared")
        self.table("who,a,y\n" + "".join(f"name {i},{i},{i}\n" for i in range(20)), 3, "20 different values", "--drop 'who'", "--id", words="fit t.csv --loss squared")
        self.table(put(GOOD, 4, 2, ""), 3, "t.csv:5:5", "expected a label", "--missing drop")
        self.table(GOOD + "1,2\n", 3, "2 cells in this row, expected 3 as in the header")
        self.table(GOOD + "1;2;yes\n", 3, "t.csv:42:1: 1 cell in this row, expected 3 as in the header")
        self.table('[{"a": 1, "class": "yes"}]\n', 3, "is JSON, not a table", "pandas.read_json")
        self.wrong("fit good.csv --loss squared", 3, "there is the text 'no'", "--loss logistic")
        self.table(NUMBERS.replace("a,b,y", "a,a,y"), 3, "two columns have the same name: 'a'", "rename", words="fit t.csv --loss squared")
        self.table(put(NUMBERS, 5, 1, "1e999"), 3, "out of range", words="fit t.csv --loss squared")

    def test_names(self):
        self.wrong("fit good.csv --label clas", 3, "no column is called 'clas'; did you mean 'class'?", "a, b, class")
        self.wrong("fit good.csv --drop c", 3, "no column is called 'c'", "a, b, class")
        self.wrong("fit good.csv --columns a,bb", 3, "no column is called 'bb'", "did you mean 'b'?")
        self.wrong("fit good.csv --categorical class", 2, "is not used as a feature")
        self.wrong("fit good.csv --reference a=1", 2, "'a' is not a category", "--categorical")
        self.wrong("fit good.csv --lamda 1", 2, "did you mean --lambda?")
        self.wrong("fit good.csv --loss logstic", 2, "did you mean 'logistic'?")
        self.wrong("fit good.csv --penalty grup", 2, "did you mean 'group'?")
        self.wrong("fit good.csv --structure chian", 2, "did you mean 'chain'?")
        self.wrong("fit good.csv --set nonegative", 2, "all, ball, box, nonneg")
        self.wrong("fit good.csv --solver prox-newtn", 2, "did you mean 'prox-newton'?")
        self.wrong("fit good.csv --solver spdhg --param rr=1", 2, "no parameter 'rr'; it has")
        self.wrong("fti good.csv", 2, "did you mean 'fit'?")
        self.wrong("list loses", 2, "did you mean 'losses'?")
        self.wrong("graph good.csv -o g.mtx --method quick", 2, "did you mean 'quic'?")
        self.wrong("fit good.csv --missing medain", 2, "did you mean 'median'?")

    def test_words_of_other_packages(self):
        for word, ours in (("gaussian", "squared"), ("binomial", "logistic"), ("multinomial", "softmax"), ("mae", "absolute")):
            self.wrong(f"fit good.csv --loss {word}", 2, f"--loss: unknown '{word}'; here it is {ours}")
        for word, ours in (("l2", "--gamma NUMBER"), ("elasticnet", "l1 with --l1-ratio"), ("lasso", "l1"), ("tv", "l1 with --structure chain")):
            self.wrong(f"fit good.csv --penalty {word}", 2, f"--penalty: unknown '{word}'; here it is {ours}")
        self.wrong("fit good.csv --structure graph", 2, "here it is edges:FILE, or learned")
        for option, ours in (("alpha 1", "--lambda"), ("C=2", "--lambda"), ("family gaussian", "--loss"), ("exclude a", "--drop"), ("impute mean", "--missing")):
            self.wrong(f"fit good.csv --{option}", 2, f"; here it is {ours}")
        self.wrong("path good.csv --cv 5", 2, "unknown option '--cv'; here it is --folds")
        self.wrong("fit good.csv --cv 5", 2, "unknown option '--cv'; spdhg path compares lambdas by cross-validation")
        self.wrong("fit good.csv --target class", 5, "--targets is a file; a column to predict is named by --label class")

    def test_models_and_other_tables(self):
        self.write("t.csv", "b,class\n1,yes\n")
        self.wrong("predict model.json t.csv", 3, "1 of the model's 2 columns is missing: 'a'")
        self.wrong("predict model.json good.csv -o good.csv", 2, "is read by this command", "--force")
        self.wrong("predict model.json good.csv -o numbers.csv", 2, "is not predictions", "--force")
        self.wrong("predict model.json good.csv --drop a", 2, "--drop: the model needs column 'a'")
        self.wrong("predict model.json good.csv --label a", 2, "the model needs column 'a': --label, --id and --offset cannot name it")
        self.wrong("fit good.csv --max-memory 100", 6, "the limit is 0.0001 MB (--max-memory)")
        self.wrong("fit good.csv -o same --report same", 2, "would write the same file")
        self.wrong("fit numbers.csv", 3, "needs two classes", "--loss squared")
        self.wrong("fit good.csv --loss squared", 3, "numbers")
        self.wrong("fit good.csv --lambda 1000", 0, "every coefficient is 0", "lambda_max", "spdhg path")
        self.write("empty.edges", "# nothing\n")
        self.wrong("fit good.csv --structure edges:empty.edges", 3, "no edge in this file")
        self.wrong("fit good.csv --solver spdhg --epochs 1 --tol 1e-9", 4, "--epochs 1 was reached first")

    def test_passes_end_before_the_time(self):
        """Separable classes have no minimiser, and first-order methods get only so many passes."""
        self.write("far.svm", "0.0 1:0.11449001385760546 2:-0.786932039219814 3:1.5396991538213822\n1.0 1:-1.0863492683585723 2:-0.815082737897942 3:0.568897037129064\n2.0 1:-0.6079680828685168 2:1.5266983052909424 3:0.29021221839331685\n2.0 1:0.5322028815677865 2:-1.256882933059651 3:0.05189659728764272\n")
        self.write("weights.txt", "54.762959508207494\n772.1187241015376\n0.007252639441547661\n0.3817794368019647\n")
        said = self.wrong("fit far.svm --loss softmax --lambda 0.1 --structure chain --penalty nuclear --weights weights.txt --tol 1e-15 --time 600", 4, "the limit of saga-pd3o itself")
        self.assertNotIn("--time", said)

    def test_what_stands_above_a_table(self):
        self.table("Export of the clinic\n" + NUMBERS, 3, "t.csv:2:1", "if a title stands above the names, delete it or put # before it")
        self.table(NUMBERS + '1,2,3,4\n', 3, "4 cells in this row", "a cell that contains the separator, ',', needs quotes")
        self.table(NUMBERS.replace(",", "\t") + "1\t2\t3\t4\n", 3, "the separator, a tab, needs quotes")
        self.write("t.txt", "1 2 3\n4 5 6\n" * 10)
        self.wrong("fit t.txt --loss squared --format libsvm", 3, "expected index:value, found '2'", "--format csv")
        self.table(NUMBERS.encode("utf-16-le"), 3, "UTF-16 without a byte order mark", "save it as UTF-8")
        self.table(NUMBERS.encode("utf-32"), 3, "UTF-32", "save it as UTF-8")
        self.table(put(NUMBERS, 30, 1, "1\x002"), 3, "bytes of value 0")

    def test_numbers_that_only_people_read(self):
        squared = "fit t.csv --loss squared"
        for line in (1, 9):  # the first cell decides what the column is
            for cell in ("inf", "-Inf"):
                self.table(put(NUMBERS, line, 1, cell), 3, f"t.csv:{line + 1}:3: expected a finite number, found '{cell}' in column 'b'", "--missing", words=squared)
            for cell in ("$5", "5 €", "€5", "5$", '"1,5"', '"1,2882"', '"1,234.5"', "1 234", "1'234", "12%"):
                self.table(put(NUMBERS, line, 1, cell), 3, f"found '{cell.strip(chr(34))}' in column 'b'", "with a decimal point, without separators, signs and units", words=squared)

    def test_all_that_is_missing(self):
        """Every missing column is named, or counted where there are too many to name."""
        names = [f"measurement {i}" for i in range(200)]
        self.write("wide.csv", ",".join(names) + ",y\n" + "".join(",".join(str(i * j % 11) for j in range(201)) + "\n" for i in range(9)))
        self.spdhg("fit", "wide.csv", "--loss", "squared", "-q", "-o", "wide.json")
        err = self.spdhg("predict", "wide.json", "numbers.csv", status=3).err
        self.assertIn("200 of the model's 200 columns are missing: 'measurement 0', 'measurement 1'", err)
        listed = err.count("'measurement")
        self.assertIn(f"and {200 - listed} more; the table needs a column of each name", err)

    def test_files_of_other_programs(self):
        for head, name in ((b"$FL2@(#) SPSS DATA FILE", "read_spss"), (b"<stata_dta><header>", "read_stata"), (b"\x80\x04\x95", "read_pickle"),
                           (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14", "read_sas")):
            self.table(head + bytes(50), 3, f"pandas.{name}(file).to_csv")
        self.table("{\\rtf1\\ansi a,b,y}\n", 3, "(.rtf)", "save its table as CSV")
        self.table("% iris\n@relation x\n@attribute a numeric\n@data\n1\n", 3, "ARFF", "replace the lines up to @data")
        self.wrong("report model.json -o r.html", 3, "model.json is a model, not a trace: spdhg show prints it", "path --report")

    def test_labels(self):
        squared = "fit t.csv --loss squared"
        for cell in ("abc", "12%", "$5", "2024-01-01"):
            self.table(put(NUMBERS, 9, 2, cell), 3, f"t.csv:10: loss squared needs numbers as targets, written as 1234.5, but there is the text '{cell}'", words=squared)
        self.table(put(NUMBERS, 9, 2, "1e400"), 3, "t.csv:10:5: number out of range: '1e400' in column 'y'", "--missing", words=squared)
        self.table(put(GOOD, 9, 2, "No"), 3, "needs two classes, the data has 3", "'No' and 'no' differ in case only: write them alike")
        self.table(re.sub("no|yes", "yes", GOOD), 3, "only one class among the rows: yes (40 rows)", "--allow-one-class")
        self.table(re.sub(r",[\d.]+\n", ",3\n", NUMBERS), 0, "every target is 3: there is nothing to predict", words=squared)
        self.assertNotIn("lambda_max", self.spdhg("fit", "t.csv", "--loss", "squared").err)
        self.wrong("path t.csv --loss squared", 0, "every target is 3")
        for label in ("maybe", "5"):  # also where codes of labels would agree
            self.table(GOOD.replace("yes", label), 3, f"t.csv:6 has label {label}, which the training data does not have: correct it, or leave such rows out",
                       words="fit good.csv --test t.csv")
        self.table(GOOD.replace("yes", "p").replace("no", "q"), 0, "40 rows; no metrics: the model knows none of their labels", words="predict model.json t.csv")
        self.wrong("fit good.csv --test good.csv", 0, "--test is the data itself", "--test-fraction")

    def test_cells_of_other_programs(self):
        squared = "fit t.csv --loss squared"
        for cell in ("(5)", "0x10", "1_000", "1.5D+02", '"4\n"', "=B1"):
            self.table(put(NUMBERS, 5, 1, cell), 3, "in column 'b': write it plainly, as 1234.5 or 1e-3; if it has categories: --categorical 'b'", words=squared)
        for cell in ("#N/A", "-1.#IND", "1.#QNAN", "(null)", "#DIV/0!", "#NUM!", ".", "?", "<NA>"):
            self.table(put(NUMBERS, 5, 1, cell), 3, f"found '{cell}': column 'b' has no value here; --missing drop", words=squared)
        self.table(put(NUMBERS, 5, 1, '"3'), 3, "t.csv:6:3: a quote that is never closed: close it, or write it twice", words=squared)
        self.table(put(NUMBERS, 5, 1, '"3" x'), 3, "text after a closing quote: a quote inside a cell is written twice", words=squared)
        self.table(put(NUMBERS, 5, 1, '"3' + 3000000 * "x"), 3, "a cell of more than 65536 bytes: is its quote closed?", words=squared)
        self.table(NUMBERS + "1,2\n", 3, "2 cells in this row", "a cell without a value needs its separator too", words=squared)
        self.table(NUMBERS.replace("\n", ",\n").replace("y,\n", "y\n"), 3, "the row ends with a separator: delete it, or end the header with one", words=squared)
        text = NUMBERS.replace("\n", ",\n")
        self.table(put(text, 9, 3, "7"), 3, "t.csv:10:9: found '7' in column 4, which has no name and no value in the first row: name it, or delete it", words=squared)

    def test_options_that_miss(self):
        self.wrong("fit numbers.csv --loss squared --weights bb", 5, "--weights: 'bb' is neither a column of the table nor a file", "did you mean 'b'?")
        self.wrong("fit numbers.csv --loss squared --offset oo", 5, "--offset: 'oo' is neither a column of the table nor a file")
        self.wrong("fit numbers.csv --loss squared --drop a,b", 0, "no features are left: the model is its intercept alone")
        self.wrong("fit good.csv --categorical class", 2, "it is the target; --label names another")
        self.table("a,b,y\n1,p,1\n2,q,2\n", 2, "column 'b' has no level 'r'; it has p, q", words="fit t.csv --loss squared --reference b=r")
        self.wrong("fit t.csv --loss squared --ordered b=p<r", 3, "'q' is not one of the 2 levels", "--ordered has to name every level")
        self.wrong("fit good.csv --groups columns", 2, "penalty l1 takes no groups; --penalty group does")
        self.wrong("path good.csv --folds 41", 2, "40 rows needs 2 to as many folds (--folds, not 41)")
        self.wrong("--versoin", 2, "unknown option '--versoin'", "--version")
        self.table("a,b\n", 3, "t.csv: has no rows below its line of names")

    def test_predictions_from_other_tables(self):
        self.table("b,a\n1,2\n,3\n", 3, "t.csv:3:1", "--missing drop leaves out such rows; a model fitted with --missing mean or median fills them in",
                   words="predict model.json t.csv --missing mean")
        self.table("b,a\n1,2\nx,3\n", 3, "found 'x' in column 'b'; the model has numbers there", words="predict model.json t.csv")
        self.table("1,2\n3,4\n", 0, "DATA has no names: columns are matched by position", words="predict model.json t.csv")
        self.write("t.svm", svm(rows(40, 2)))
        self.spdhg("fit", "t.svm", "-q", "-o", "svm.json")
        self.wrong("predict svm.json good.csv", 0, "MODEL has no names: columns are matched by position")

    def test_zz_enough(self):
        self.assertGreaterEqual(len(Mistakes.seen), 80)


if __name__ == "__main__":
    unittest.main()
