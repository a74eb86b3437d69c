ubiheap summary --sort name --limit 6 tiny-before.fxsnapshot
