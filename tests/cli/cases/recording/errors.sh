ubiheap report -c leaked,functoin server.ubirec; echo $?
ubiheap report --by leaked two.fxsnapshot; echo $?
ubiheap report --json --format csv server.ubirec; echo $?
ubiheap census server.ubirec; echo $?
head -c 12 server.ubirec > short.ubirec; ubiheap report short.ubirec; echo $?
(head -c 1000 server.ubirec; printf x; tail -c +1002 server.ubirec) > flipped.ubirec; ubiheap report flipped.ubirec; echo $?
ubiheap info flipped.ubirec; echo $?
cat server.ubirec | ubiheap report -; echo $?
ubiheap info - < idle.ubirec | head -n 1
