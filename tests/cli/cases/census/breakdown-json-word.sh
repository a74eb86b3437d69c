# JSON values that look like words are no names of presets.
for value in null true false 3 '"count"' '[' @/dev/null; do
    ubiheap census --breakdown "$value" two.fxsnapshot
    echo $?
done
