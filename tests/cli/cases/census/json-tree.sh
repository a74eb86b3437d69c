ubiheap census --json --tree two.fxsnapshot
