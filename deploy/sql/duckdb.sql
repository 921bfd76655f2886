-- The tables of all nights in lake/, for DuckDB. A night may lack a column that later ones have.
CREATE OR REPLACE TEMPORARY VIEW actions AS SELECT * FROM read_parquet('lake/night=*/actions.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW archives AS SELECT * FROM read_parquet('lake/night=*/archives.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW assets AS SELECT * FROM read_parquet('lake/night=*/assets.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW checks AS SELECT * FROM read_parquet('lake/night=*/checks.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW creators AS SELECT * FROM read_parquet('lake/night=*/creators.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW findings AS SELECT * FROM read_parquet('lake/night=*/findings.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW hulls AS SELECT * FROM read_parquet('lake/night=*/hulls.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW meshes AS SELECT * FROM read_parquet('lake/night=*/meshes.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW missing AS SELECT * FROM read_parquet('lake/night=*/missing.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW objects AS SELECT * FROM read_parquet('lake/night=*/objects.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW owners AS SELECT * FROM read_parquet('lake/night=*/owners.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW parcels AS SELECT * FROM read_parquet('lake/night=*/parcels.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW parts AS SELECT * FROM read_parquet('lake/night=*/parts.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE TEMPORARY VIEW regions AS SELECT * FROM read_parquet('lake/night=*/regions.parquet', hive_partitioning = true, union_by_name = true);
