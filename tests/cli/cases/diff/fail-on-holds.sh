ubiheap diff --fail-on 'growth > 1KiB' -b count tiny-before.fxsnapshot tiny-after.fxsnapshot
