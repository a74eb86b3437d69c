# Nothing is printed of the part that is there.
ubiheap census --json -b objectClass --individuals 2,5000 tiny-before.fxsnapshot
