ubiheap census --filter HTML -n 3 tiny-before.fxsnapshot
