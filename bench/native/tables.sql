-- SPDX-License-Identifier: MIT
-- A database in memory: inserts, an index, joins, updates, deletes.
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INTEGER);
CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO kind SELECT i, 'kind ' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
    INSERT INTO item SELECT i, 'item number ' || i || hex(i * 7919), i * 0.5, i % 1000 + 1 FROM n;
CREATE INDEX item_name ON item(name);
SELECT count(*), sum(length(item.name || kind.name)) FROM item JOIN kind ON item.kind = kind.id WHERE upper(kind.name) LIKE 'KIND 1%';
UPDATE item SET name = replace(name, 'number', 'no.') || '!' WHERE id % 3 = 0;
SELECT kind, count(DISTINCT substr(name, 1, 12)), group_concat(name, ',') IS NULL FROM item GROUP BY kind ORDER BY 2 DESC LIMIT 3;
DELETE FROM item WHERE id % 5 = 0;
SELECT count(*) FROM item WHERE name GLOB '*9*';
