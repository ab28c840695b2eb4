"""What the name of a column says, in English and some neighbouring languages.

A name is split into words at signs, blanks, digits and capitals, without accents. What others know
of people counts only where it is the whole name, but for words that add nothing (`patient_age`,
`marital status`): `SameSex` is not a sex, nor `AgeFirstMarij` an age. A name, a number or a secret
may stand among other words, since overlooking one costs more than a column. Names that surveys use
as they are (`AGEP`, `DUPERSID`) count as a whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from shoal._command.init.nature import Nature
from shoal.schema import Role

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+")

# The strongest first.
_TERMS = {
    Nature.SENSITIVITY: "sensitivity, privacy level, sensibility",
    Nature.PERSON_NAME: (
        "surname, firstname, first name, lastname, last name, forename, given name, givenname, "
        "family name, middle name, maiden, nickname, vorname, nachname, familienname, prenom, "
        "nom de famille, apellido, cognome, sobrenome, voornaam, achternaam, fornamn, efternamn, "
        "imie, nazwisko"
    ),
    Nature.PERSON_NUMBER: (
        "ssn, social security, soc sec, passport, mrn, nhs number, personid, patientid, patid, "
        "subjid, usubjid, custid, empid, memberid, driver licence, drivers, driving licence, "
        "driver license, versichertennummer, sozialversicherungsnummer, dni, nino"
    ),
    Nature.CONTACT: (
        "email, e mail, mail, courriel, correo, phone, telephone, tel, telefon, telefono, mobile, "
        "handy, fax, address, adresse, direccion, indirizzo, endereco, adres, street, strasse, "
        "calle, iban, account number, username, login, ip, url, licence plate, license plate, vin, "
        "uuid, guid, latitude, longitude, lat, lon, lng, signature, photo"
    ),
    Nature.WEIGHT: (
        "survey weight, sampling weight, sample weight, person weight, final weight, design "
        "weight, household weight, expansion factor, weighting, wgt, wt, gewichtung, "
        "hochrechnungsfaktor, ponderation, pweight, dweight"
    ),
    Nature.SEXUALITY: (
        "same sex, sexual, sexuality, orientation, sex partner, sex orientation, sex life, gay, "
        "lesbian, lgbt"
    ),
    Nature.HEALTH: (
        "diagnosis, diagnoses, diagnose, diagnostic, diagnosed, diag, dx, icd, disease, illness, "
        "ill, sick, sickness, condition, krankheit, maladie, enfermedad, malattia, ziekte, "
        "doenca, sykdom, sjukdom, symptom, treatment, therapy, medication, medicine, medical, "
        "drug, prescription, procedure, surgery, hiv, aids, cancer, tumor, tumour, pregnancy, "
        "pregnant, disability, disabled, allergy, allergic, addiction, mental, cause of death, "
        "lab, health, diabetes, diabetic, depression, depressed, anxiety, asthma, stroke, "
        "hypertension, cholesterol, chol, blood pressure, bp, glucose, insulin, bmi, pulse, "
        "smoke, smoker, smoking, alcohol, drink, drinking, marijuana, marij, cannabis, cocaine, "
        "heroin, sleep trouble, infection, covid, vaccine, vaccination, injury, hearing, vision, "
        "blind, deaf, arthritis, kidney, liver, heart, psychiatric, suicide, hba"
    ),
    Nature.BELIEF: "religion, religious, faith, belief, party, vote, voted, political, trade union",
    Nature.CRIME: "crime, offence, offense, conviction, convicted, arrest, arrested, prison",
    Nature.MONEY: (
        "income, salary, wage, earning, pay, einkommen, gehalt, lohn, revenu, salaire, ingreso, "
        "salario, sueldo, reddito, stipendio, inkomen, salaris, debt, credit, loan, balance, "
        "wealth, charge, cost, claim, capital, tax, poverty"
    ),
    Nature.MARK: "grade, score, mark, result",
    Nature.FREE_TEXT: (
        "note, comment, remark, description, text, bemerkung, bemerkungen, notiz, notizen"
    ),
    Nature.POSTAL: (
        "zip, zipcode, zip code, postcode, post code, postal, postal code, postleitzahl, plz, "
        "code postal, codigo postal, cep, postnummer, kod pocztowy"
    ),
    Nature.SEX: "sex, gender, geschlecht, sexe, sexo, sesso, geslacht",
    Nature.AGE: "age, alter, edad, eta, idade, leeftijd, age at admission, age at diagnosis",
    Nature.BIRTH: (
        "birth, birth date, birthdate, birthday, birth year, year of birth, month of birth, "
        "birth month, date of birth, born, dob, geburt, geburtsdatum, geburtsjahr, geburtstag, "
        "geboren, naissance, date de naissance, nacimiento, fecha de nacimiento, nascita, "
        "data di nascita, nascimento, geboortedatum"
    ),
    Nature.PLACE: (
        "city, town, village, ort, stadt, ville, ciudad, citta, municipality, county, region, "
        "district, state, land, country, province, residence, suburb, place, birthplace, place of "
        "birth, place of residence, birth place, economic region, neighbourhood, neighborhood, "
        "metro"
    ),
    Nature.ORIGIN: (
        "race, ethnicity, ethnic, ethnic group, nationality, nation, citizenship, citizen, "
        "staatsangehoerigkeit, staatsangehorigkeit, native country, country of birth, birth "
        "country, nativity, native, hispanic, hispanic origin, latino, origin, language, sprache, "
        "english, mother tongue, migration background, ancestry, immigrant"
    ),
    Nature.FAMILY: (
        "marital, married, marry, marriage, familienstand, civil, civil status, relationship, "
        "children, child, kinder, household size, family size, family, household, siblings, "
        "partner, divorced"
    ),
    Nature.EDUCATION: "education, educ, edu, bildung, school, schooling, degree, qualification",
    Nature.WORK: (
        "occupation, profession, beruf, job, work, workclass, work class, employment, employed, "
        "employer, industry, sector, veteran, military, labour, labor, retired, unemployed"
    ),
    Nature.WORKING_TIME: "hours, hours per week, hours worked, weeks worked, working hours",
    Nature.DATE: (
        "date, datum, day, month, year, jahr, death, death date, deathdate, date of death, died, "
        "start, stop, end, begin"
    ),
    Nature.VISIT: (
        "admission, admission date, admission source, discharge, discharge disposition, visit, "
        "ward, station, clinic, hospital, insurance, versicherung, payer, length of stay, "
        "time in hospital, outpatient, inpatient, emergency, readmitted, specialty"
    ),
    Nature.HOUSING: "housing, home, house, rooms, rent, own rent, tenure, home own, dwelling",
    Nature.BODY: "height, weight, length, eyes, hair, size, groesse, grosse, gewicht",
    Nature.KEY: (
        "id, identifier, nr, nbr, no, num, number, nummer, numero, key, kennung, matricule, "
        "patient, person, subject, member, customer, client, case, record, ref, reference, "
        "pseudonym, kuerzel, kurzel, fall, fallnummer"
    ),
    Nature.NAME: "name, fullname, nom, nombre, nome, naam, namn, navn",
    Nature.FLAG: "secret, geheim, confidential, hidden, is secret, flag",
}  # fmt: skip

# Names of columns in public surveys (ACS, MEPS, NHANES, EU-SILC …), in lower case.
_NAMES = {
    Nature.PERSON_NAME: "first, last, middle",
    Nature.PERSON_NUMBER: "dupersid, seqn, pidp, caseid",
    Nature.HOUSEHOLD: "duid, serialno, serial, hhid, hhidpn, hid, idhh, hhnum, hhnr, hidp",
    Nature.MEMBER: "pid, sporder, pernum, lineno, pno, persno, hhline",
    Nature.AGE: "agep, ridageyr, ridagemn, age05x",
    Nature.BIRTH: "dobmm, dobyy",
    Nature.SEX: "riagendr",
    Nature.PLACE: "puma, st, statefip, countyfip, region05",
    Nature.ORIGIN: (
        "rac1p, rac2p, rac3p, racex, raceax, racebx, racewx, racethnx, hisp, hispan, hispanx, "
        "hispcat, ridreth1, ridreth3, pobp, cit, nativity, ancestry, lanp, eng"
    ),
    Nature.FAMILY: "msp, mar, marst, marry, dmdmartl, noc, npf, np, nchild, famsize, relp, relate",
    Nature.EDUCATION: "schl, educyear, educ, dmdeduc2, educd",
    Nature.WORK: "occp, indp, indp_cat, cow, esr, dvet, mil, classwkr, occ, ind",
    Nature.WORKING_TIME: "wkhp, wkw, wkwn, uhrswork",
    Nature.HOUSING: "ten, own_rent, housing_type, ownershp, type, bld",
    Nature.MONEY: "pincp, pincp_decile, povpip, wagp, hincp, inctot, incwage, indfmpir, hhincome",
    Nature.HEALTH: "drem, dphy, deye, dear, dout, ddrs, dis, icd9codx, bmxbmi",
    Nature.WEIGHT: (
        "fnlwgt, pwgtp, wgtp, perwt, hhwt, wtint2yr, wtmec2yr, wtsaf2yr, pspwght, perwt05f, wtfa, "
        "wtssall, rb050, db090, pb040"
    ),
}  # fmt: skip

# Words that change nothing about what others know of a person.
_FILLERS = (
    "patient person respondent subject employee customer client member citizen student case record "
    "fall head of "
    "at in the a an is current self reported group groups grp band class category cat code coded "
    "codes id ids years year yrs yr decade months level levels status type num number no n name "
    "label recode rec imputed raw value baseline interview survey per p x cd ind us src der des de "
    "la le von im my his her"
)
_KEYS = "id ids nr nbr key kennung mrn"
_NO_KEYS = (
    "paid unpaid prepaid covid acid lipid thyroid steroid opioid fluid valid invalid void aid bid "
    "grid mid raid rapid kid"
)
_WELL_KNOWN = 0.7
_AMONG_OTHERS = (Role.IDENTIFIER, Role.SENSITIVE, Role.SENSITIVITY, Role.FLAG)

# What people share, and what they have for themselves.
_PEOPLE = (
    "patient person subject member customer client user employee individual citizen student pupil "
    "beneficiary insured resident respondent dupersid versicherter versicherte kunde pidp seqn"
)
_GROUPS = (
    "household hh family house home haushalt familie hospital clinic ward school class site centre "
    "center provider doctor physician county region store duid serialno hhid"
)
_CODES = (
    "type code status cat category class group race racex racethnx sex gender marital marry "
    "married ethnic ethnicity hisp hispan hispcat state region id kind source disposition flag msp"
)
_AMOUNTS = (
    "age agep alter edad idade leeftijd year jahr month monat week day tage hour minute time count "
    "number num n nb anzahl nombre amount quantity length los duration stay child children kinder "
    "size height weight dose price rate percent percentage share score room visit educyear noc npf "
    "dobmm dobyy"
)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case and without accents.

    >>> words_of("PatientID"), words_of("Prénom_usuel"), words_of("education-num")
    (('patient', 'id'), ('prenom', 'usuel'), ('education', 'num'))
    """
    plain = unicodedata.normalize("NFKD", _HUMP.sub(" ", name))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return tuple(_WORD.findall(plain.lower()))


def natures_of(name: str) -> list[Nature]:
    """Everything that a name says of its column, the strongest first.

    >>> [n.name for n in natures_of("patient_age")], natures_of("SameSex")[0].name
    (['AGE', 'KEY'], 'SEXUALITY')
    >>> natures_of("AgeFirstMarij"), natures_of("AGEP")
    ([<Nature.HEALTH: 'health'>], [<Nature.AGE: 'age'>])
    """
    found = {nature for nature in (_named().get(name.lower().replace("-", "_")),) if nature}
    if found:
        return list(found)
    words = tuple(map(_single, words_of(name)))
    for phrase in _phrases(words):
        found.update(
            n for n in _terms().get(phrase, ()) if n.role in _AMONG_OTHERS or n is Nature.WEIGHT
        )
    found.update(_terms().get(words, ()))
    rest = tuple(word for word in words if word not in _split(_FILLERS))
    found.update(n for n in _terms().get(rest, ()) if n.role not in _AMONG_OTHERS)
    return [nature for nature in _TERMS if nature in found]


def is_mixed(name: str) -> bool:
    """Whether a word of a longer name is about what others know well: `DiabetesAge`."""
    words = map(_single, words_of(name))
    return any(n.known >= _WELL_KNOWN for word in words for n in _terms().get((word,), ()))


def is_about_people(name: str) -> bool:
    """Whether a word of the name stands for a person."""
    return _has(name, _PEOPLE)


def is_about_a_group(name: str) -> bool:
    """Whether a word of the name stands for what several people share."""
    return _has(name, _GROUPS)


def is_about_codes(name: str) -> bool:
    """Whether whole numbers under this name are likely codes.

    >>> is_about_codes("admission_type_id"), is_about_codes("rooms")
    (True, False)
    """
    return _has(name, _CODES)


def is_about_an_amount(name: str) -> bool:
    """Whether whole numbers under this name are an age, a time or a count."""
    return _has(name, _AMOUNTS)


def key_ending(name: str) -> str:
    """The end of the name that stands for a key, as it is written; empty if there is none.

    >>> [key_ending(name) for name in ("DUID", "admission_type_id", "caseNr", "PAID")]
    ['ID', 'id', 'Nr', '']
    """
    words = words_of(name)
    if not words or words[-1] in _split(_NO_KEYS):
        return ""
    if words[-1] in _split(_KEYS):
        return name.rstrip("0123456789_-. ")[-len(words[-1]) :]
    return "ID" if re.search(r"[A-Z]ID\d*$", name) else ""


def _has(name: str, listed: str) -> bool:
    known = _split(listed)
    return name.lower() in known or any(_single(word) in known for word in words_of(name))


@cache
def _split(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


@cache
def _terms() -> dict[tuple[str, ...], tuple[Nature, ...]]:
    found: dict[tuple[str, ...], tuple[Nature, ...]] = {}
    for nature, listed in _TERMS.items():
        for term in listed.split(", "):
            words = tuple(map(_single, term.split()))
            found[words] = (*found.get(words, ()), nature)
    return found


@cache
def _named() -> dict[str, Nature]:
    return {name: nature for nature, listed in _NAMES.items() for name in listed.split(", ")}


@cache
def _single(word: str) -> str:
    """A word without the ending of its plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(("s", "x", "ch", "sh")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and len(word) > 3 and word[-2] not in "sui" else word


def _phrases(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for start in range(len(words)):
        for end in range(start + 1, min(start + 4, len(words)) + 1):
            yield words[start:end]
