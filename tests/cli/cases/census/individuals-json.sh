ubiheap census --json -b objectClass --individuals 1 two.fxsnapshot
