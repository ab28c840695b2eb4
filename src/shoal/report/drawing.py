"""What all drawings have in common: the picture itself, its marks, and what they say."""

from __future__ import annotations

from html import escape

from shoal.report.axis import Spot

# Colours that people with any sight can tell apart, and a shape with each (after Okabe and Ito).
COLOURS = ("#12708f", "#c4500b", "#6b7a87", "#7a3e9d", "#2f8f4e", "#a8861a", "#b3306a", "#333f4a")
# About how wide a letter is.
LETTER = 6.6


def draw_picture(title: str, width: float, height: float, inside: str) -> str:
    """A picture that stands alone, with its title."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" font-size="11.5" fill="#52606d" '
        'font-family="system-ui, Segoe UI, Roboto, Noto Sans, Liberation Sans, Arial, sans-serif">'
        f"<title>{escape(title)}</title>"
        '<rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="14" y="22" font-size="13.5" font-weight="600" fill="#17222d">{escape(title)}'
        f"</text>{inside}</svg>\n"
    )


def draw_mark(place: int, x: float, y: float, says: str = "") -> str:
    """A mark of the colour and the shape of its place in the legend."""
    colour = COLOURS[place % len(COLOURS)]
    title = f"<title>{escape(says)}</title>" if says else ""
    look = f'fill="{colour}" stroke="#fff" stroke-width="0.8"'
    match place % 4:
        case 0:
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" {look}>{title}</circle>'
        case 1:
            corners = (
                f"{x:.1f},{y - 4.4:.1f} {x + 4.2:.1f},{y + 3.2:.1f} {x - 4.2:.1f},{y + 3.2:.1f}"
            )
        case 2:
            corners = " ".join(
                f"{x + dx:.1f},{y + dy:.1f}"
                for dx, dy in ((-3.3, -3.3), (3.3, -3.3), (3.3, 3.3), (-3.3, 3.3))
            )
        case _:
            steps = ((0, -4.6), (4.6, 0), (0, 4.6), (-4.6, 0))
            corners = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in steps)
    return f'<polygon points="{corners}" {look}>{title}</polygon>'


def describe(name: str, s: Spot) -> str:
    """What a mark says when it is pointed at."""
    interval = f" (95 %: {s.low:.4g} to {s.high:.4g}, n = {s.n})" if s.n > 1 else ""
    return f"{name}: {s.y:.4g}{interval}"
