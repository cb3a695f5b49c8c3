"""The data sets and solvers of bench/reproduction."""

SMALL = "splice", "svmguide3", "mushrooms", "20news_100word", "ng3sim.vocab357", "SUSY.sub30000"  # the cheapest: the quick form
LEARNED = SMALL + ("a9a", "sports.vocab326", "covtype.sub92962.scale01", "w8a")
GIVEN = "hitech", "k1b", "reviews", "la2", "la1", "ohscal", "la12", "classic"  # with the authors' graphs; the cheap ones first, as above
WORDS = GIVEN + ("sports.vocab326", "ng3sim.vocab357")  # word counts
ADMM = "sadmm", "opg-admm", "rda-admm", "fsadmm", "ada-sadmm-diag", "ada-sadmm-full"
OURS = {"gglr": ("spdhg",), "ggrlr": ("spdhg-sc1", "spdhg-sc2")}
PAPER = ("spdhg", "spdhg-sc1", "spdhg-sc2", "lpdhg") + ADMM
LEFT_OUT = "online-admm", "sdca-admm", "sgadm"  # named by the paper, not raced by it
SOLVERS = PAPER + ("spdhg-free", "fsadmm-lite") + LEFT_OUT + ("saga-pd3o", "auto")
IDENTITY = "spdhg-sc1", "spdhg-sc2", "spdc", "spdc-adaptive", "rpdg", "sdca-admm", "saga-pd3o", "auto"
PROTOCOLS = "theory", "paper", "fair"
MADE_BINARY = {**{name: "largest class against the rest" for name in GIVEN + ("ng3sim.vocab357", "sports.vocab326")},
               "20news_100word": "comp, rec against sci, talk", "covtype.sub92962.scale01": "class 2 against the rest"}
