"""The papers behind shoal: five whose systems it runs, and the works that these build on.

Titles, authors, venues and years are as the papers print them. docs/papers.md says what of each of
the five is implemented, and by what.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PAPERS", "SYSTEMS", "Citation", "Citations", "Paper", "cite"]


@dataclass(frozen=True)
class Paper:
    """One published work; `name` is what shoal calls it, if it has its own name."""

    key: str
    title: str
    authors: tuple[str, ...]
    year: int
    venue: str = ""
    volume: str = ""
    pages: str = ""
    doi: str = ""
    name: str = ""

    @property
    def label(self) -> str:
        """A few words by which to recognise it.

        >>> PAPERS["byun"].label, PAPERS["lgb"].label
        ('Byun et al. 2007', 'LGB (Li and He 2022)')
        """
        surnames = [author.split(",")[0] for author in self.authors]
        who = f"{surnames[0]} et al." if len(surnames) > 3 else _listed(surnames)
        return f"{self.name} ({who} {self.year})" if self.name else f"{who} {self.year}"

    @property
    def reference(self) -> str:
        """The full reference.

        >>> PAPERS["tong"].reference[-40:]
        'urnal of Software, 21(4), 771-781, 2010.'
        """
        who = _listed([_given_first(author) for author in self.authors])
        where = ", ".join(p for p in (self.venue, self.volume, self.pages, str(self.year)) if p)
        doi = f" doi:{self.doi}." if self.doi else ""
        return f"{who}. {self.title}. {where}.{doi}"


@dataclass(frozen=True)
class Citation:
    """A place in a paper: a section, a definition, an equation or an algorithm."""

    paper: Paper
    place: str = ""

    def __str__(self) -> str:
        return f"{self.paper.label}, {self.place}" if self.place else self.paper.label

    @property
    def reference(self) -> str:
        """The full reference, ending with the place in it.

        >>> cite("lgb", "Algorithm 2").reference[-23:]
        ' 2022. See Algorithm 2.'
        """
        place = f" See {self.place}." if self.place else ""
        return self.paper.reference + place


Citations = tuple[Citation, ...]


def cite(key: str, place: str = "") -> Citation:
    """A citation of the paper with this key.

    >>> str(cite("mks3wd", "Algorithm 1"))
    'MKS3WD (Qian et al. 2023), Algorithm 1'
    """
    return Citation(PAPERS[key], place)


def _listed(words: list[str]) -> str:
    return " and ".join(w for w in (", ".join(words[:-1]), words[-1]) if w)


def _given_first(author: str) -> str:
    surname, _, given = author.partition(", ")
    return f"{given} {surname}".strip()


_ICDE = "International Conference on Data Engineering (ICDE)"
_KDD = "ACM SIGKDD International Conference on Knowledge Discovery and Data Mining (KDD)"
_FUZZINESS = "International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems"

SYSTEMS = (
    Paper(
        "mks3wd",
        "Multi-level personalized k-anonymity privacy-preserving model based on sequential "
        "three-way decisions",
        ("Qian, Jin", "Jiang, Haoying", "Yu, Ying", "Wang, Hui", "Miao, Duoqian"),
        2023,
        "Expert Systems With Applications",
        doi="10.1016/j.eswa.2023.122343",
        name="MKS3WD",
    ),
    Paper(
        "lgb",
        "Local generalization and bucketization technique for personalized privacy preservation",
        ("Li, Boyu", "He, Kun"),
        2022,
        "Journal of King Saud University – Computer and Information Sciences",
        name="LGB",
    ),
    # The text does not print its journal; the publisher's page of the article does.
    Paper(
        "identity",
        "Two privacy-preserving approaches for data publishing with identity reservation",
        ("Wang, Jinyan", "Du, Kai", "Luo, Xudong", "Li, Xianxian"),
        2018,
        "Knowledge and Information Systems",
        name="identity reservation",
    ),
    # The text has only the DOI, which contains the journal's abbreviation, year, volume and number.
    Paper(
        "graph",
        "Achieving Privacy Preservation Constraints based on K-Anonymity in conjunction with "
        "Adjacency Matrix and Weighted Graphs",
        ("Riyana, Surapon", "Sasujit, Kittikorn", "Homdoung, Nigran"),
        2024,
        "ECTI Transactions on Computer and Information Technology",
        "18(1)",
        doi="10.37936/ecti-cit.2024181.253483",
        name="k-anonymity by graphs",
    ),
    # The text has volume, issue and year, but not the name of its journal.
    Paper(
        "mhsa",
        "Privacy Preserving Data Publishing for Heterogeneous Multiple Sensitive Attributes with "
        "Personalized Privacy and Enhanced Utility",
        ("Jayapradha, J.", "Prakash, M.", "Reddy, Yenumula Harshavardhan"),
        2020,
        volume="vol. 11, issue 9",
        name="QI-MHSA",
    ),
)

_WORKS = (
    Paper(
        "samarati",
        "Generalizing data to provide anonymity when disclosing information",
        ("Samarati, P.", "Sweeney, L."),
        1998,
        "17th ACM Symposium on Principles of Database Systems (PODS)",
        pages="188",
    ),
    Paper(
        "iyengar",
        "Transforming data to satisfy privacy constraints",
        ("Iyengar, V. S.",),
        2002,
        f"8th {_KDD}",
        pages="279-288",
    ),
    Paper(
        "sweeney",
        "Achieving k-anonymity privacy protection using generalization and suppression",
        ("Sweeney, L.",),
        2002,
        _FUZZINESS,
        "10(5)",
        "571-588",
    ),
    Paper(
        "bayardo",
        "Data privacy through optimal k-anonymization",
        ("Bayardo, R.", "Agrawal, R."),
        2005,
        f"21st {_ICDE}",
        pages="217-228",
    ),
    Paper(
        "lefevre",
        "Mondrian multidimensional k-anonymity",
        ("LeFevre, K.", "DeWitt, D.", "Ramakrishnan, R."),
        2006,
        f"22nd {_ICDE}",
    ),
    Paper(
        "machanavajjhala",
        "L-diversity: privacy beyond k-anonymity",
        ("Machanavajjhala, A.", "Gehrke, J.", "Kifer, D.", "Venkitasubramaniam, M."),
        2006,
        f"22nd {_ICDE}",
    ),
    Paper(
        "wong",
        "(α, k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing",
        ("Wong, R. C.-W.", "Li, J.", "Fu, A. W.-C.", "Wang, K."),
        2006,
        f"12th {_KDD}",
        pages="754-759",
    ),
    Paper(
        "xu",
        "Utility-based anonymization using local recoding",
        ("Xu, J.", "Wang, W.", "Pei, J.", "Wang, X.", "Shi, B.", "Fu, A. W.-C."),
        2006,
        f"12th {_KDD}",
        pages="785-790",
    ),
    Paper(
        "byun",
        "Efficient k-anonymization using clustering techniques",
        ("Byun, J.-W.", "Kamra, A.", "Bertino, E.", "Li, N."),
        2007,
        "12th International Conference on Database Systems for Advanced Applications (DASFAA)",
        pages="188-200",
    ),
    Paper(
        "li",
        "t-closeness: privacy beyond k-anonymity and l-diversity",
        ("Li, N.", "Li, T.", "Venkatasubramanian, S."),
        2007,
        f"23rd {_ICDE}",
        pages="106-115",
    ),
    Paper(
        "xiao",
        "m-invariance: towards privacy preserving re-publication of dynamic datasets",
        ("Xiao, X.", "Tao, Y."),
        2007,
        "ACM SIGMOD International Conference on Management of Data",
        pages="689-700",
    ),
    Paper(
        "kifer",
        "Attacks on privacy and deFinetti’s theorem",
        ("Kifer, D.",),
        2009,
        "ACM SIGMOD International Conference on Management of Data",
        pages="127-138",
    ),
    Paper(
        "minimality",
        "Minimality attack in privacy preserving data publishing",
        ("Wong, R. C.-W.", "Fu, A. W.-C.", "Wang, K.", "Pei, J."),
        2007,
        "33rd International Conference on Very Large Data Bases (VLDB)",
        pages="543-554",
    ),
    Paper(
        "cohen",
        "Attacks on deidentification’s defenses",
        ("Cohen, A.",),
        2022,
        "31st USENIX Security Symposium",
        pages="1469-1486",
    ),
    Paper(
        "zhang",
        "Aggregate query answering on anonymized tables",
        ("Zhang, Q.", "Koudas, N.", "Srivastava, D.", "Yu, T."),
        2007,
        f"23rd {_ICDE}",
        pages="116-125",
    ),
    Paper(
        "gionis",
        "k-Anonymization with minimal loss of information",
        ("Gionis, A.", "Tassa, T."),
        2009,
        "IEEE Transactions on Knowledge and Data Engineering",
        "21(2)",
        "206-219",
    ),
    Paper(
        "tong",
        "Identity-reserved anonymity in privacy preserving data publishing",
        ("Tong, Y.", "Tao, Y.", "Tang, S.", "Yang, D."),
        2010,
        "Journal of Software",
        "21(4)",
        "771-781",
    ),
    Paper(
        "sopaoglu",
        "A top-down k-anonymization implementation for Apache Spark",
        ("Sopaoglu, U.", "Abul, O."),
        2017,
        "IEEE International Conference on Big Data",
        pages="4513-4521",
    ),
    Paper(
        "truta",
        "Privacy protection: p-sensitive k-anonymity property",
        ("Truta, T. M.", "Vinay, B."),
        2006,
        "22nd International Conference on Data Engineering Workshops",
        pages="94",
    ),
    Paper(
        "nergiz",
        "Hiding the presence of individuals from shared databases",
        ("Nergiz, M. E.", "Atzori, M.", "Clifton, C."),
        2007,
        "ACM SIGMOD International Conference on Management of Data",
        pages="665-676",
    ),
    Paper(
        "brickell",
        "The cost of privacy: destruction of data-mining utility in anonymized data publishing",
        ("Brickell, J.", "Shmatikov, V."),
        2008,
        f"14th {_KDD}",
        pages="70-78",
    ),
    Paper(
        "elemam",
        "Protecting privacy using k-anonymity",
        ("El Emam, K.", "Dankar, F. K."),
        2008,
        "Journal of the American Medical Informatics Association",
        "15(5)",
        "627-637",
    ),
    Paper(
        "terrovitis",
        "Privacy-preserving anonymization of set-valued data",
        ("Terrovitis, M.", "Mamoulis, N.", "Kalnis, P."),
        2008,
        "Proceedings of the VLDB Endowment",
        "1(1)",
        "115-125",
    ),
    Paper(
        "mohammed",
        "Anonymizing healthcare data: a case study on the blood transfusion service",
        ("Mohammed, N.", "Fung, B. C. M.", "Hung, P. C. K.", "Lee, C.-K."),
        2009,
        f"15th {_KDD}",
        pages="1285-1294",
    ),
    Paper(
        "cao",
        "Publishing microdata with a robust privacy guarantee",
        ("Cao, J.", "Karras, P."),
        2012,
        "Proceedings of the VLDB Endowment",
        "5(11)",
        "1388-1399",
    ),
    Paper(
        "ghinita",
        "Fast data anonymization with low information loss",
        ("Ghinita, G.", "Karras, P.", "Kalnis, P.", "Mamoulis, N."),
        2007,
        "33rd International Conference on Very Large Data Bases (VLDB)",
        pages="758-769",
    ),
    Paper(
        "chambolle",
        "A first-order primal-dual algorithm for convex problems with applications to imaging",
        ("Chambolle, A.", "Pock, T."),
        2011,
        "Journal of Mathematical Imaging and Vision",
        "40(1)",
        "120-145",
    ),
)

PAPERS = {paper.key: paper for paper in (*SYSTEMS, *_WORKS)}
