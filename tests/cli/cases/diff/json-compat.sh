ubiheap diff --json --compat firefox -b count tiny-before.fxsnapshot tiny-after.fxsnapshot
