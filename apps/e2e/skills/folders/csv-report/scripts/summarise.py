import csv
import sys

with open(sys.argv[1], newline="") as file:
    rows = list(csv.DictReader(file))
print(len(rows), "rows")
