python3 -c '
print("""{"schema":"ubiheap.timeline-log/1","record":"header","program":"many"}""")
for i in range(20000):
    print("""{"record":"marker","name":"frame","start":%d,"end":%d}""" % (10 * i, 10 * i + 4 + i // 5000))
    print("""{"record":"marker","name":"draw","start":%d,"end":%d}""" % (10 * i + 1, 10 * i + 2))
    print("""{"record":"marker","name":"rare %d","start":%d,"end":%d}""" % (i // 200, 10 * i + 2, 10 * i + 3))
' > many.timeline
ubiheap timeline --rows 6 --top 2 many.timeline
ubiheap timeline --rows 6 --each --top 0 many.timeline | sed -n '/time/,/more/p'
python3 -c '
print("""{"schema":"ubiheap.timeline-log/1","record":"header","program":"functions"}""")
for i in range(200):
    print("""{"record":"frame","frame":%d,"functionDisplayName":"f%d"}""" % (i + 1, i))
for i in range(200000):
    print("""{"record":"marker","name":"Javascript","start":%d,"end":%d,"stack":%d}""" % (10 * i, 10 * i + 5, i % 200 + 1))
' > functions.timeline
ubiheap timeline --rows 4 --top 1 functions.timeline
