COLUMNS=100 ubiheap summary --limit 8 tiny-before.fxsnapshot
