ubiheap convert hostile.fxsnapshot hostile.jsonl && cat hostile.jsonl
