"""The report of an experiment, made from its rows alone: report.md, report.html, and the plots beside them."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parsearch.core.errors import InputError
from parsearch.experiments import plots
from parsearch.experiments.agreement import require_agreement
from parsearch.experiments.analysis import Series, make_series
from parsearch.experiments.machine import machine_text
from parsearch.experiments.rows import Asked, Row, read_experiment, read_rows, require_asked
from parsearch.experiments.tables import Table, position_table, tables

LEGEND = (
    "Speedup is time to depth against the best sequential search of this program, on the same positions in the same "
    "run. Overhead: additional nodes over all workers; idle: share of the workers' time in which they search nothing; "
    "commun.: the part of it in which a task or a result is under way; Mnodes/s: million nodes a second, all workers; "
    "serial: Karp and Flatt's serial fraction. Figures marked *simulated* are from a virtual clock with measured "
    "rates and latencies, not from that many real workers."
)

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .85rem; display: block; overflow-x: auto; }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th { border-bottom: 1px solid #222; }
p.note { color: #555; font-size: .85rem; margin-top: 0; }
svg { max-width: 100%; height: auto; }
"""


@dataclass(frozen=True)
class Report:
    """What an experiment found. machines: what the rows were measured on, one line each."""

    title: str
    outputs: tuple[str, ...]
    rows: tuple[Row, ...]
    series: tuple[Series, ...]
    machines: tuple[str, ...]
    asked: Asked

    @property
    def tables(self) -> list[Table]:
        """The tables, but for those of single positions."""
        return tables(self.rows, self.series)

    @property
    def position_tables(self) -> list[Table]:
        """Every position of every series."""
        return [position_table(series) for series in self.series]


def read_report(folder: Path) -> Report:
    """What the rows in a folder come to.

    Raises InputError where there are none, AnswersDifferError where they disagree.
    """
    asked, rows = read_experiment(folder), read_rows(folder)
    require_asked(folder, rows, asked.hash)
    require_agreement(rows)
    config = asked.config
    series = make_series(rows, config.seed)
    if not series:
        raise InputError(f"{str(folder)!r} has no finished repeat yet; go on with the same speedup command")
    machines = dict.fromkeys(machine_text(row.machine, row.versions) for row in rows)
    return Report(config.title, tuple(config.outputs), tuple(rows), series, tuple(machines), asked)


def write_report(folder: Path) -> Report:
    """Write what the experiment's `outputs` ask for. Errors as for `read_report`."""
    report = read_report(folder)
    wanted = set(report.outputs)
    figures = plots.draw_all(report.rows, report.series) if wanted & {"html", "svg", "png"} else {}
    for name, figure in figures.items():
        for kind in sorted(wanted & {"svg", "png"}):
            figure.savefig(folder / f"{name}.{kind}")
    if "md" in wanted:
        images = [f"{name}.{'svg' if 'svg' in wanted else 'png'}" for name in figures if wanted & {"svg", "png"}]
        (folder / "report.md").write_text(_markdown(report, images), encoding="utf-8")
    if "html" in wanted:
        drawings = [plots.to_svg(figure) for figure in figures.values()]
        (folder / "report.html").write_text(_html(report, drawings), encoding="utf-8")
    return report


def _markdown(report: Report, images: Sequence[str]) -> str:
    parts = [f"# {report.title}", LEGEND]
    parts += [f"![{image}]({image})" for image in images]
    parts += [_markdown_table(table) for table in [*report.tables, *report.position_tables]]
    parts += ["## Measured on", "\n".join(f"- {machine}" for machine in report.machines)]
    parts += [f"Config hash {report.asked.hash}, seed {report.asked.config.seed}; all rows in rows.jsonl."]
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    lines = [table.header, ("---", *["--:"] * (len(table.header) - 1)), *table.rows]
    grid = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return "\n\n".join(part for part in (f"## {table.title}", grid, table.note) if part)


def _html(report: Report, drawings: Sequence[str]) -> str:
    legend = html.escape(LEGEND).replace("*simulated*", "<em>simulated</em>")
    body = [f"<h1>{html.escape(report.title)}</h1>", f"<p>{legend}</p>"]
    body += [f"<figure>{drawing}</figure>" for drawing in drawings]
    body += [_html_table(table) for table in report.tables]
    body.append("<details><summary>Every position</summary>")
    body += [_html_table(table) for table in report.position_tables]
    body.append("</details><h2>Measured on</h2><ul>")
    body += [f"<li>{html.escape(machine)}</li>" for machine in report.machines]
    body.append(f"</ul><p>Config hash {report.asked.hash}, seed {report.asked.config.seed}.</p>")
    title = html.escape(report.title)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(body) + "\n</body></html>\n"


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.header)
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>\n" for row in table.rows)
    note = f'<p class="note">{html.escape(table.note)}</p>' if table.note else ""
    return (
        f"<h2>{html.escape(table.title)}</h2><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"
    )
