# What was lost may have been anything: numbers are lower limits. How many were lost is known, if the end is.
grep -v '"record":"end"' small.timeline > cut.timeline
for condition in 'longest(Javascript) > 50ms' 'longest(Javascript) > 5s' 'total(render) < 1s' 'self(Script) > 1ns' 'gc > 5%' 'count > 5' 'lost > 3'; do
    ubiheap timeline --format chrome --fail-on "$condition" small.timeline > /dev/null; echo "$condition: $?"
    ubiheap timeline --format chrome --fail-on "$condition" cut.timeline > /dev/null; echo "$condition: $?"
done
