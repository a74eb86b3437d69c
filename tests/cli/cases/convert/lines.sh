ubiheap convert -f jsonl two.fxsnapshot -
