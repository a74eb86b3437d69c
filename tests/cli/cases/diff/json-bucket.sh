ubiheap diff --json -b '{"by":"objectClass","then":{"by":"bucket"},"other":{"by":"bucket"}}' two.fxsnapshot hostile.fxsnapshot
