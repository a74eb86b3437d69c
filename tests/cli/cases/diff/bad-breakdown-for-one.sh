ubiheap diff --compat firefox -b '{"by":"descriptiveType"}' two.fxsnapshot tiny-after.fxsnapshot
