ubiheap diff --compat firefox -b '{"by":"objectClass"}' tiny-before.fxsnapshot tiny-after.fxsnapshot
