ubiheap diff -b '{"by":"descriptiveType"}' two.fxsnapshot tiny-after.fxsnapshot
