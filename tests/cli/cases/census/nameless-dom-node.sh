# a DOM node without a descriptive name is in the group of its type; Firefox refuses the census
ubiheap census nameless.fxsnapshot
ubiheap census --json nameless.fxsnapshot | grep -o '"domNode":{"[^b].*'
ubiheap census -b '{"by":"descriptiveType"}' nameless.fxsnapshot
ubiheap treemap --format json nameless.fxsnapshot | grep -c '"nsTextNode"'
ubiheap dominators --depth 1 nameless.fxsnapshot
ubiheap diff nameless.fxsnapshot nameless.fxsnapshot
for command in census treemap; do
    ubiheap $command --compat firefox nameless.fxsnapshot; echo "status $?" >&2
done
