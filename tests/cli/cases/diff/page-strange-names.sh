cp two.fxsnapshot "a b\$(date).fxsnapshot"
cp two.fxsnapshot ./-n
ubiheap diff -- "a b\$(date).fxsnapshot" -n
rm "a b\$(date).fxsnapshot" ./-n
