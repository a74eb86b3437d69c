ubiheap convert -f jsonl big-ids.fxsnapshot -
