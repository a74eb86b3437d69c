ubiheap summary --limit 4 unreachable.fxsnapshot
