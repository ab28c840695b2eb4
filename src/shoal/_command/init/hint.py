"""What the name of a column suggests, in English and some neighbouring languages.

A name is split into words at signs, blanks, digits and capitals. A hint is a word, or several words
in a row, without accents; a hint that ends in `…` is the beginning of a word, and one that begins
with `=` is the whole name.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import cache

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+")


class Hint(Enum):
    """What a name may suggest of a column, in the words of a reason: "name suggests …"."""

    PERSON_NAME = "a person's name"
    PERSON_NUMBER = "a person's number"
    NAME = "a name"
    CONTACT = "contact details"
    NUMBER = "a number or key"
    FREE_TEXT = "free text, which may name people"
    SECRET = "a secret"
    POSTAL = "a postal code"
    KNOWN = "others may know it"
    SENSITIVITY = "a sensitivity"
    FLAG = "a flag for secret cells"


_WORDS = {
    Hint.SENSITIVITY: "sensitivity, privacy level, sensibility",
    Hint.PERSON_NAME: (
        "surname, firstname, first name, =first, lastname, last name, =last, forename, "
        "given name, givenname, family name, middle name, =middle, maiden, nickname, "
        "vorname, nachname, familienname, prenom, nom de famille, apellido…, "
        "cognome, sobrenome, voornaam, achternaam, fornamn, efternamn, imie, nazwisko"
    ),
    Hint.CONTACT: (
        "email, e mail, mail, courriel, correo, phone, telephone, tel, telefon…, mobile, handy, "
        "fax, address, adresse, direccion, indirizzo, endereco, adres, street, strasse, "
        "calle, iban, account, username, login, ip, url, "
        "licence plate, license plate, vin, uuid, guid, latitude, longitude, lat, lon, lng, "
        "signature, photo"
    ),
    Hint.SECRET: (
        "diagnos…, diagnoz…, diag, dx, icd, disease…, illness, condition…, krankheit, maladie, "
        "enfermedad, malattia, ziekte, doenca, sykdom, sjukdom, symptom…, treatment, therap…, "
        "medication…, medicine, drug…, prescription, procedure…, surgery, hiv, cancer, "
        "pregnan…, disab…, allerg…, addiction, mental, cause of death, lab, test result, result, "
        "income, salary, wage…, earning…, pay, einkommen, gehalt, lohn, revenu, salaire, "
        "ingreso…, salario, sueldo, reddito, stipendio, inkomen, salaris, debt, credit, loan, "
        "balance, wealth, charge…, cost…, claim…, capital, tax, rent, "
        "religion, faith, belief, party, vote, political, union, orientation, sexuality, crime, "
        "offence, offense, conviction, arrest, grade…, score"
    ),
    Hint.FREE_TEXT: "note, notes, comment…, remark…, description, text, bemerkung…, notiz…",
    Hint.POSTAL: (
        "zip, zipcode, zip code, postcode, post code, postal, postal code, postleitzahl, plz, "
        "code postal, codigo postal, cep, postnummer, kod pocztowy"
    ),
    Hint.KNOWN: (
        "sex, gender, geschlecht, sexe, sexo, sesso, geslacht, age, alter, edad, eta, idade, "
        "leeftijd, birth…, born, dob, geburt…, geboren, naissance, nacimiento, nascita, "
        "nascimento, geboorte…, death…, died, city, town, village, ort, stadt, ville, ciudad, "
        "citta, county, region, district, state, land, country, nation…, native, province, "
        "race, ethnic…, citizen…, staatsangeh…, marital, married, familienstand, civil status, "
        "education, bildung, school, degree, occupation, profession, beruf, job, work…, employ…, "
        "relationship, household, children, kinder, language, sprache, height, weight, date, "
        "datum, day, month, year, jahr, admission, discharge, visit, ward, station, clinic, "
        "hospital, insurance, versicherung, hours, veteran, residence"
    ),
    Hint.NUMBER: (
        "id, ids, identifier, nr, nbr, no, num, number, nummer, numero, key, kennung, matricule, "
        "patient, person, subject, member, customer, client"
    ),
    Hint.PERSON_NUMBER: (
        "ssn, social security, soc sec, passport, mrn, nhs, personid, patientid, dupersid, "
        "patid, subjid, usubjid, custid, empid, memberid, "
        "licence, license, drivers, sozialversicherungs…, versichertennummer, dni, nino"
    ),
    Hint.NAME: "name, fullname, nom, nombre, nome, naam, namn, navn",
    Hint.FLAG: "secret, geheim, confidential, hidden, is secret, flag",
}  # fmt: skip
_KEYS = "id, ids, nr, nbr, key, kennung, mrn"
_NO_KEYS = (
    "paid, unpaid, prepaid, covid, acid, lipid, thyroid, steroid, opioid, fluid, valid, invalid, "
    "void, aid, bid, grid, mid, raid, rapid, kid"
)


class Topic(Enum):
    """What else a name may be about, with the words for it."""

    PEOPLE = (
        "patient, person, subject, member, customer, client, user, employee, individual, citizen, "
        "student, pupil, beneficiary, insured, resident, respondent, dupersid, versicherte…, kunde…"
    )
    # What a person never changes.
    LASTING = (
        "sex, gender, geschlecht, sexe, sexo, birth…, born, dob, geburt…, naissance, race, ethnic…"
    )
    # What several people share.
    GROUP = (
        "household…, family, families, house, home, haushalt…, familie, hospital, clinic, ward, "
        "school, class, site, centre, center, provider, doctor, physician, county, region, store"
    )
    # Whole numbers that are likely codes, or an age, a time or a count.
    CODE = (
        "type…, code…, status, cat, category, categories, class, group, race…, sex…, gender, "
        "marital, marry, married, ethnic…, hisp…, state, region, id, ids, kind, source, "
        "disposition, flag"
    )
    AMOUNT = (
        "age, ages, alter, edad, idade, leeftijd, year…, jahr…, month…, monat…, week…, day…, tage, "
        "hour…, minute…, time, times, count…, number, num, n, nb, anzahl, nombre, amount, "
        "quantity, length, los, duration, stay, children, kinder, size, height, weight, dose, "
        "price, rate, percent…, share, score, rooms, visits"
    )


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case and without accents.

    >>> words_of("PatientID"), words_of("Prénom_usuel"), words_of("education-num")
    (('patient', 'id'), ('prenom', 'usuel'), ('education', 'num'))
    """
    plain = unicodedata.normalize("NFKD", _HUMP.sub(" ", name))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return tuple(_WORD.findall(plain.lower()))


def hints_of(name: str) -> list[Hint]:
    """Everything that a name suggests, the strongest first.

    >>> [hint.name for hint in hints_of("patient_income")]
    ['SECRET', 'NUMBER']
    """
    words = words_of(name)
    return [hint for hint, text in _WORDS.items() if _has_any(words, text)]


def is_about(name: str, topic: Topic) -> bool:
    """Whether a word of the name belongs to the topic.

    >>> is_about("admission_type_id", Topic.CODE), is_about("rooms", Topic.CODE)
    (True, False)
    """
    return _has_any(words_of(name), topic.value)


def key_ending(name: str) -> str:
    """The end of the name that stands for a key, as it is written; empty if there is none.

    >>> [key_ending(name) for name in ("DUID", "admission_type_id", "caseNr", "PAID")]
    ['ID', 'id', 'Nr', '']
    """
    words = words_of(name)
    if not words or words[-1] in _NO_KEYS.split(", "):
        return ""
    if words[-1] in _KEYS.split(", "):
        return name.rstrip("0123456789_-. ")[-len(words[-1]) :]
    return "ID" if re.search(r"[A-Z]ID\d*$", name) else ""


@cache
def _listed(text: str) -> list[tuple[str, ...]]:
    return [tuple(hint.split()) for hint in text.split(", ")]


def _has_any(words: tuple[str, ...], text: str) -> bool:
    return any(_holds(words, hint) for hint in _listed(text))


def _holds(words: tuple[str, ...], hint: tuple[str, ...]) -> bool:
    if hint[0].startswith("="):
        return words == (hint[0][1:],)
    starts = range(len(words) - len(hint) + 1)
    return any(all(map(_fits, words[i : i + len(hint)], hint)) for i in starts)


def _fits(word: str, hint: str) -> bool:
    return word.startswith(hint[:-1]) if hint.endswith("…") else word == hint
