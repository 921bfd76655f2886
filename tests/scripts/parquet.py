"""Compares a report's Parquet files with its CSV files, cell by cell: parquet.py REPORT. Needs `pip install pyarrow`.

    cargo run --features parquet -- audit sample_data --out report --format csv,parquet
    python3 tests/scripts/parquet.py report
"""

import csv
import math
import re
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def same(cell, text: str, kind: pa.DataType) -> bool:
    """Returns whether a cell equals its CSV text. CSV has nine decimals, and an apostrophe before formulas."""
    if cell is None:
        return text == ""
    if pa.types.is_boolean(kind):
        return text == ("true" if cell else "false")
    if pa.types.is_int64(kind):
        return int(text) == cell
    if pa.types.is_float64(kind):
        number = float(text)
        return math.isnan(cell) and math.isnan(number) or cell == number or abs(cell - number) < 1e-9
    if pa.types.is_timestamp(kind):
        return cell.strftime("%Y-%m-%dT%H:%M:%SZ") == text
    return text == re.sub(r"(?:^|(?<=[;\t\r\n]))(?='*[=+\-@＝＋－＠])|^(?='*[\t\r\n])", "'", cell)


def main(report: Path) -> int:
    csv.field_size_limit(sys.maxsize)
    wrong = 0
    files = sorted(report.glob("*.csv"))
    for path in files:
        table = pq.ParquetFile(path.with_suffix(".parquet"))
        schema = table.schema_arrow
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file)
            names = next(rows)
            if names != schema.names:
                print(f"{path.stem}: the columns differ: {set(names) ^ set(schema.names) or 'in their order'}")
                wrong += 1
                continue
            cells = 0
            for batch in table.iter_batches():
                columns = [column.to_pylist() for column in batch.columns]
                for number in range(batch.num_rows):
                    row = next(rows)
                    for field, column, text in zip(schema, columns, row, strict=True):
                        cells += 1
                        if not same(column[number], text, field.type):
                            wrong += 1
                            print(f"{path.stem}.{field.name}: {column[number]!r:.80} is not {text!r:.80}")
            if next(rows, None) is not None:
                wrong += 1
                print(f"{path.stem}: CSV has more rows")
        print(f"{path.stem}: {cells} cells in {table.num_row_groups} row groups")
    if not files:
        print(f"{report} has no CSV files")
    return int(wrong > 0 or not files)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
