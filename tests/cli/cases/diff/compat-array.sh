ubiheap diff --compat firefox -b '[]' two.fxsnapshot two.fxsnapshot
ubiheap diff --json -b '[{"by":"count"},[]]' tiny-before.fxsnapshot tiny-after.fxsnapshot
