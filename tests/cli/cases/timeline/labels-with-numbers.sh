python3 -c '
print("""{"schema":"ubiheap.timeline-log/1","record":"header","program":"server"}""")
def timer(label, start, end):
    print("""{"record":"marker","name":"ConsoleTime","start":%d,"end":%d,"details":{"causeName":"%s"}}""" % (start, end, label))
timer("start", 0, 30)
for i in range(60):
    timer("request %d" % i, 30 + 10 * i, 45 + 10 * i)
    print("""{"record":"marker","name":"Javascript","start":%d,"end":%d}""" % (30 + 10 * i, 33 + 10 * i))
print("""{"record":"end","time":700}""")
' > server.timeline
ubiheap timeline --top 1 server.timeline
ubiheap timeline --top 0 -m 'Console (request 7)' server.timeline | grep -A 3 'time  count'
ubiheap timeline --top 0 --rows 0 server.timeline | grep -c 'Console (request'
ubiheap timeline --json server.timeline | grep -c '"label": *"Console (request 7)"'
ubiheap timeline --fail-on 'count("Console (request 7)") == 1' --top 0 --rows 1 server.timeline > /dev/null; echo $?
