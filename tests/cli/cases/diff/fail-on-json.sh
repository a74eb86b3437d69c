ubiheap diff --json --fail-on 'growth < 0' -b count tiny-after.fxsnapshot tiny-before.fxsnapshot
