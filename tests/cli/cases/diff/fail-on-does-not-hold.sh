ubiheap diff --fail-on 'growth > 1MiB' -b count tiny-before.fxsnapshot tiny-after.fxsnapshot
