# The day is left of the time.
ubiheap convert -f jsonl --anonymize two.fxsnapshot - | head -n 1
