-- Questions whose answers must be the same on every machine, one a line; `answers.c` asks them.
-- Numbers: how they are read, rounded and spelled. Functions that the C library may answer with another last
-- digit are asked for ten.
SELECT divan_to_number1('12.5'), divan_to_number1('1e-320'), divan_to_number1('9223372036854775808'), divan_to_number1(' 7 ')
SELECT divan_to_string1(0.1), divan_to_string1(1e21), divan_to_string1(-0.0), divan_to_string1(123456789012345678), divan_to_string1(5e-324)
SELECT divan_round1(2.5), divan_round1(-2.5), divan_round1(1234.567, -2), divan_round1(1.005, 2), divan_round1(1e300, 3)
SELECT divan_round_even1(0.5), divan_round_even1(1.5), divan_round_even1(2.5), divan_round_even1(-2.5), divan_round_even1(2.675, 2)
SELECT divan_trunc1(-2.7), divan_trunc1(2.789, 2), divan_ceil1(-0.5), divan_floor1(-0.5), divan_sign1(-3), divan_abs1(-9223372036854775807)
SELECT divan_idiv1(7, 2), divan_idiv1(-7, 2), divan_idiv1(7, 0), divan_div1(1, 3), divan_power1(2, 62), divan_sqrt1(2)
SELECT round(divan_sin1(1), 10), round(divan_cos1(1), 10), round(divan_tan1(1), 10), round(divan_exp1(1), 10), round(divan_ln1(10), 10)
SELECT round(divan_atan21(1, 2), 10), round(divan_acos1(0.3), 10), round(divan_asin1(0.3), 10), round(divan_log1(1000), 10)
SELECT divan_calculate1(divan_terms1('++*', 1, 2.5, 3)), divan_calculate1(divan_terms1('+', 9223372036854775807)), divan_greatest1(1, 2.5, 'a'), divan_least1(3, 2)
WITH RECURSIVE n(i) AS (SELECT -300 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT group_concat(divan_to_string1(i * 1.1 / 7)) FROM n
WITH RECURSIVE n(i) AS (SELECT -300 UNION ALL SELECT i + 7 FROM n WHERE i < 290) SELECT group_concat(divan_to_string1(divan_to_number1('1.7e' || i))) FROM n
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT divan_sum1(i * 0.1), divan_avg1(i * 0.1), divan_array_agg1(i % 7) FROM n
-- Text: case, order, patterns and expressions beyond ASCII, and bytes above 127, which are signed on some machines.
SELECT divan_upper1('straße ǆ'), divan_lower1('ÀÉÎÕÜ ΑΣ'), divan_length1('日本語é🎉'), divan_trim1('  é  '), divan_ltrim1('xxé', 'x')
SELECT divan_like1('ÄBC', 'ä%', 6), divan_like1('naïve', 'na_ve', 0), divan_contains1('Café au lait', 'CAFE', 14), divan_like1('100%', '100\%', 0)
SELECT divan_regexp_contains1('größe', 'gr.+e$'), divan_regexp_position1('añb', 'b'), divan_regexp_replace1('aéa', 'é', 'e'), divan_regexp_replace1('aaa', 'a', 'b', 2)
SELECT divan_text_key1('é'), divan_text_key1('日'), divan_concat1('a', 1, 2.5, 'é')
WITH t(x) AS (VALUES ('z'), ('é'), ('e'), ('E'), ('日'), ('ä'), ('~'), ('')) SELECT group_concat(x) FROM (SELECT x FROM t ORDER BY x)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT group_concat(divan_like1(substr('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaé', 1, i % 41 + 1) || i, '%' || (i % 10), 0), '') FROM n
-- Dates.
SELECT divan_str_to_millis1('2024-02-29T12:30:00.123Z'), divan_str_to_millis1('1969-12-31'), divan_str_to_utc1('2024-03-10T01:00:00+05:30'), divan_millis_to_utc1(-1)
SELECT divan_str_to_tz1('2024-07-01T00:00:00Z', 'Europe/Berlin'), divan_millis_to_tz1(0, 'Asia/Tokyo'), divan_date_add_str1('2024-01-31', 1, 'month'), divan_date_diff_str1('2024-03-01', '2023-03-01', 'day')
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT group_concat(divan_millis_to_utc1(i * 31557600123 - 6000000000000)) FROM n
-- Types and containers.
SELECT divan_type1(divan_body_result1('{"a":[1,"é",null,true,{"b":2.50}]}')), divan_plain1(divan_body_result1('[true,1,1.0,"1"]')), divan_array_length1(divan_body1('[1,2,3]'))
SELECT divan_array1(1, 'é', NULL), divan_object1('b', 1, 'a', 2), divan_array_contains1(divan_body1('[1,2.0,"x"]'), 2), divan_array_sum1(divan_body1('[0.1,0.2,0.3]'))
SELECT divan_euclidean_distance1(divan_body1('[0.1,0.2,0.3]'), divan_body1('[0.3,0.2,0.1]')), divan_cosine_distance1(divan_body1('[1,2,3]'), divan_body1('[3,2,1]'))
-- Words.
CREATE VIRTUAL TABLE words USING fts5(c0, tokenize = 'divan1 en 0')
INSERT INTO words(c0) VALUES ('Running foxes jumped over naïve Café dogs'), ('The fox runs'), ('日本語の文書を検索する')
SELECT rowid, c0 FROM words WHERE words MATCH 'run' ORDER BY rowid
SELECT rowid, c0 FROM words WHERE words MATCH 'naive OR cafe' ORDER BY rowid
SELECT round(divan_rank1(words), 9) FROM words WHERE words MATCH 'fox' ORDER BY rowid
SELECT divan_full_text_query1('the fox NEAR/2 c0:naïve AND "été*" NOT (of OR —)', CAST(x'6e616d6500' AS TEXT), 'divan3 en 0')
SELECT divan_full_text_query1('Zürich "the runn*" NEAR/2 ㎏', CAST(x'6e616d6500' AS TEXT), 'divan4 en 0')
CREATE VIRTUAL TABLE forms USING fts5(c0, tokenize = 'divan4 en 0')
INSERT INTO forms(c0) VALUES ('Running in Zürich'), ('runs ﬁnely, 5 ㎏'), ('한국어 q̣̇')
SELECT rowid FROM forms WHERE forms MATCH divan_full_text_query1('runn* OR ﬁne* OR kg OR Zürich', '', 'divan4 en 0') ORDER BY rowid
SELECT divan_power2(3, 39), divan_idiv2(1e19, 3), divan_div2(9007199254740993, 2), divan_calculate2(divan_terms1('+%', 1e300, 7))
