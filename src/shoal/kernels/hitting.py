"""Hitting sets of bounded size: disjoint sets first, then a search with a budget of steps."""

from __future__ import annotations

import numpy as np

from shoal.kernels.copy import copy_into
from shoal.kernels.jit import callee, inline, jit
from shoal.kernels.sort import sort_short

FOUND, NONE, UNDECIDED = 1, 0, -1


@inline
def count_bits(word):
    """How many bits of a word are set."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + (
        (pairs >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    # Sums in place of the usual multiplication, whose overflow is an error without the compiler.
    sixteens = eights + (eights >> np.uint64(8))
    halves = sixteens + (sixteens >> np.uint64(16))
    return np.int64((halves + (halves >> np.uint64(32))) & np.uint64(0x7F))


@callee
def list_bits(words, out):
    """The places of the bits that are set, in order; returns how many there are."""
    n = 0
    for w in range(len(words)):
        rest = words[w]
        while rest != np.uint64(0):
            lowest = rest & (~rest + np.uint64(1))
            out[n] = (w << 6) + count_bits(lowest - np.uint64(1))
            n += 1
            rest ^= lowest
    return n


@callee
def count_degrees(left, cover, barred, out):
    """In how many of the sets that are left each value is; 0 for barred ones."""
    for v in range(len(cover)):
        out[v] = 0
        if not barred[v]:
            for w in range(len(left)):
                out[v] += count_bits(left[w] & cover[v, w])


@callee
def largest_sum(degrees, n, histogram):
    """The sum of the n largest degrees; the histogram is zero before and after."""
    highest, total = 0, 0
    for v in range(len(degrees)):
        histogram[degrees[v]] += 1
        highest = max(highest, degrees[v])
    for degree in range(highest, -1, -1):
        taken = min(n, histogram[degree])
        total += taken * degree
        n -= taken
        histogram[degree] = 0
    return total


@callee
def bar_rare(degrees, least, barred):
    """Bar the values in fewer sets than the others leave over.

    The others are the commonest values that can be taken besides; together they are in as many sets
    as any that many values, so that a rarer value is in no hitting set of this branch.
    """
    for v in range(len(degrees)):
        if degrees[v] < least:
            barred[v] = True


@callee
def find_narrowest(starts, values, open_sets, barred):
    """The first of the open sets with the fewest values that are not barred."""
    narrowest, fewest = open_sets[0], len(values)
    for k in range(len(open_sets)):
        i = open_sets[k]
        free = 0
        for j in range(starts[i], starts[i + 1]):
            free += not barred[values[j]]
        if free < fewest:
            narrowest, fewest = i, free
    return narrowest


@callee
def is_covered(left, cover, v, by):
    """Whether every set left that has value v has the other value too."""
    missed = np.uint64(0)
    for w in range(len(left)):
        missed |= left[w] & cover[v, w] & ~cover[by, w]
    return missed == np.uint64(0)


@callee
def list_branches(own, degrees, left, cover, barred, out):
    """The free values of a set, the commonest first, without those that another covers.

    A hitting set with a covered value stays one with the other in its place, so that covered values
    are barred. Returns how many values are listed.
    """
    n = 0
    for j in range(len(own)):
        v = own[j]
        if barred[v]:
            continue
        place = n
        while place > 0 and degrees[out[place - 1]] < degrees[v]:
            out[place] = out[place - 1]
            place -= 1
        out[place] = v
        n += 1
    n_kept = 0
    for i in range(n):
        v, kept = out[i], True
        for j in range(n_kept):
            kept = kept and not is_covered(left, cover, v, out[j])
        if kept:
            out[n_kept] = v
            n_kept += 1
        else:
            barred[v] = True
    return n_kept


@callee
def sets_by_value(starts, values, n_values):
    """Of each value the sets that have it, as bits."""
    cover = np.zeros((n_values, (len(starts) + 62) >> 6), dtype=np.uint64)
    for i in range(len(starts) - 1):
        for j in range(starts[i], starts[i + 1]):
            cover[values[j], i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    return cover


@jit
def find_hitting(starts, values, n_values, most, budget, out):
    """Look for `most` values at the most that hit every set: FOUND, NONE or UNDECIDED.

    Set i has the values[starts[i] : starts[i + 1]], numbers below n_values. A hitting set that was
    found goes to `out`, filled up with -1. The search branches on the values of the set that has
    fewest left; a value that failed is barred from then on, and so are values that are too rare
    even beside the commonest. A branch ends where the commonest values together are in fewer sets
    than are left. It is undecided after `budget` steps, each of which looks at one word of bits or
    one value of a set, where every set counts as the largest.
    """
    n, n_levels = len(starts) - 1, most + 1
    out[:] = -1
    cover = sets_by_value(starts, values, n_values)
    n_words = cover.shape[1]
    # A row for each depth, so that nothing needs to be undone on the way back.
    left = np.zeros((n_levels, n_words), dtype=np.uint64)
    for i in range(n):
        left[0, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    barred = np.zeros((n_levels, n_values), dtype=np.bool_)
    widest = 1
    for i in range(n):
        widest = max(widest, starts[i + 1] - starts[i])
    branches = np.empty((most, widest), dtype=np.int64)
    n_branches, at = np.zeros(n_levels, dtype=np.int64), np.zeros(n_levels, dtype=np.int64)
    degrees, histogram = np.empty(n_values, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    places = np.empty(n, dtype=np.int64)
    depth, steps, entering = 0, 0, True
    while depth >= 0:
        if entering:
            n_branches[depth], at[depth] = 0, 0
            n_left = list_bits(left[depth], places)
            if n_left == 0:
                for d in range(depth):
                    out[d] = branches[d, at[d]]
                return FOUND
            steps += (n_values + 1) * n_words
            if steps > budget:
                return UNDECIDED
            if depth < most:
                count_degrees(left[depth], cover, barred[depth], degrees)
                # Overlaps can only make it less: where even the sum falls short, nothing hits all.
                if largest_sum(degrees, most - depth, histogram) >= n_left:
                    others = largest_sum(degrees, most - depth - 1, histogram)
                    bar_rare(degrees, n_left - others, barred[depth])
                    # Every set needs one of its values, so the free values of any one set are all
                    # the branches there are. The narrowest has the fewest.
                    i = find_narrowest(starts, values, places[:n_left], barred[depth])
                    steps += n_left * widest
                    n_branches[depth] = list_branches(
                        values[starts[i] : starts[i + 1]], degrees, left[depth], cover,
                        barred[depth], branches[depth],
                    )  # fmt: skip
        else:
            # Every hitting set with this value was looked for: the branches that follow do without.
            barred[depth, branches[depth, at[depth]]] = True
            at[depth] += 1
        entering = at[depth] < n_branches[depth]
        if entering:
            v = branches[depth, at[depth]]
            for w in range(n_words):
                left[depth + 1, w] = left[depth, w] & ~cover[v, w]
            # What is barred here would be no use below either.
            copy_into(barred[depth], barred[depth + 1])
            depth += 1
        else:
            depth -= 1
    return NONE


@callee
def order_by_size(own_start, units, out):
    """The members of a class, those with the fewest values first, else in the order given."""
    most = 0
    for i in range(len(units)):
        most = max(most, own_start[units[i] + 1] - own_start[units[i]])
    place = np.zeros(most + 2, dtype=np.int64)
    for i in range(len(units)):
        place[own_start[units[i] + 1] - own_start[units[i]] + 1] += 1
    for size in range(1, most + 1):
        place[size] += place[size - 1]
    for i in range(len(units)):
        size = own_start[units[i] + 1] - own_start[units[i]]
        out[place[size]] = units[i]
        place[size] += 1


@callee
def count_disjoint(own_start, own, order, limit, seen):
    """How many people in this order share no value with one before; stops at the limit."""
    disjoint = 0
    for i in range(len(order)):
        first, last = own_start[order[i]], own_start[order[i] + 1]
        free = True
        for j in range(first, last):
            free = free and not seen[own[j]]
        if free:
            disjoint += 1
            if disjoint >= limit:
                break
            for j in range(first, last):
                seen[own[j]] = True
    return disjoint


@callee
def is_hit(own_start, own, units, witness, limit, seen):
    """Whether fewer than `limit` values, known from before, hit everybody; -1 is no value."""
    n_chosen = 0
    for i in range(len(witness)):
        n_chosen += witness[i] >= 0
    if n_chosen == 0 or n_chosen >= limit:
        return False
    seen[:] = False
    for i in range(len(witness)):
        if witness[i] >= 0:
            seen[witness[i]] = True
    # Who joined last is the likeliest not to be hit.
    for i in range(len(units) - 1, -1, -1):
        hit = False
        for j in range(own_start[units[i]], own_start[units[i] + 1]):
            hit = hit or seen[own[j]]
        if not hit:
            return False
    return True


@callee
def waits(units, undecided):
    """Whether this class was undecided and has grown since, by an eighth at the most.

    A class that grows one by one would cost a whole budget each time. undecided[1:] is the size of
    the class undecided last, and its first and last members; a size of 0 makes nobody wait.
    """
    n = undecided[1]
    grown = n < len(units) <= n + n // 8
    return grown and units[0] == undecided[2] and units[n - 1] == undecided[3]


@callee
def precedes(own_start, own, one, other):
    """Of two people's values, sorted, which come first: -1, 0 if they are the same, or 1."""
    n, m = own_start[one + 1] - own_start[one], own_start[other + 1] - own_start[other]
    if n != m:
        return -1 if n < m else 1
    for j in range(n):
        a, b = own[own_start[one] + j], own[own_start[other] + j]
        if a != b:
            return -1 if a < b else 1
    return 0


@callee
def sort_by_values(own_start, own, order):
    """Sort people by how many values they have, then by these; merges runs of doubling length."""
    n, width = len(order), 1
    source, target = order, np.empty_like(order)
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if j >= high or (
                    i < middle and precedes(own_start, own, source[i], source[j]) <= 0
                ):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    return source


@callee
def different_sets(own_start, own, order, n_codes):
    """The different sets of people who are sorted, their values numbered densely by code.

    Returns where each set starts, the values, and the code of each number.
    """
    starts, n_sets, n_own = np.zeros(len(order) + 1, dtype=np.int64), 0, 0
    place = np.full(n_codes, -1, dtype=np.int64)
    kept = np.empty(len(order), dtype=np.int64)
    for i in range(len(order)):
        if i > 0 and precedes(own_start, own, order[i - 1], order[i]) == 0:
            continue
        kept[n_sets] = order[i]
        n_sets += 1
        for j in range(own_start[order[i]], own_start[order[i] + 1]):
            place[own[j]] = 0
            n_own += 1
        starts[n_sets] = n_own
    codes, n_values = np.empty(n_codes, dtype=np.int64), 0
    for code in range(n_codes):
        if place[code] == 0:
            place[code], codes[n_values] = n_values, code
            n_values += 1
    values, n_own = np.empty(n_own, dtype=np.int64), 0
    for i in range(n_sets):
        for j in range(own_start[kept[i]], own_start[kept[i] + 1]):
            values[n_own] = place[own[j]]
            n_own += 1
    return starts[: n_sets + 1], values, codes[:n_values]


@callee
def reach_hitting(own_start, own, units, n_codes, limit, budget, witness, undecided):
    """The limit if no fewer values hit everybody's, else, or if that is undecided, one less.

    Person u has the values own[own_start[u] : own_start[u + 1]], sorted. As many disjoint sets as
    the limit prove it at once; else a search decides (Theorem 3.1 of identity-reserved anonymity).
    `witness` keeps the hitting set found last, and a class that it still hits is not searched: the
    result is the same without it. undecided[0] counts what is undecided.
    """
    some, order = np.empty(len(units), dtype=np.int64), np.empty(len(units), dtype=np.int64)
    # Sorted, since a class is judged alike in whatever order its members are listed.
    copy_into(units, some)
    sort_short(some, len(some))
    order_by_size(own_start, some, order)
    seen = np.zeros(n_codes, dtype=np.bool_)
    # Each of so many disjoint sets needs a value of its own. The smallest sets first, since
    # they are the likeliest to be disjoint.
    if count_disjoint(own_start, own, order, limit, seen) >= limit:
        return float(limit)
    if is_hit(own_start, own, units, witness, limit, seen):
        return float(limit - 1)
    if waits(units, undecided):
        undecided[0] += 1
        return float(limit - 1)
    # Equal sets become neighbours, and one of them is enough. The order depends on the sets alone,
    # and so does the search, even where its budget ends.
    order = sort_by_values(own_start, own, order)
    starts, values, codes = different_sets(own_start, own, order, n_codes)
    # One less than the limit: if that many values hit everybody, the class fails.
    found = np.empty(int(limit) - 1, dtype=np.int64)
    ended = find_hitting(starts, values, len(codes), len(found), budget, found)
    if ended == NONE:
        return float(limit)
    if ended == UNDECIDED:
        undecided[0] += 1
        undecided[1], undecided[2], undecided[3] = len(units), units[0], units[-1]
    elif len(found) <= len(witness):
        witness[:] = -1
        for i in range(len(found)):
            # As codes: the numbers of values are those of this class alone.
            witness[i] = codes[found[i]] if found[i] >= 0 else -1
    return float(limit - 1)
