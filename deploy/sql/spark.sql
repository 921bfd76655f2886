-- The tables of all nights in lake/, for Spark. A night may lack a column that later ones have.
CREATE OR REPLACE TEMPORARY VIEW actions USING parquet OPTIONS (path 'lake/night=*/actions.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW archives USING parquet OPTIONS (path 'lake/night=*/archives.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW assets USING parquet OPTIONS (path 'lake/night=*/assets.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW checks USING parquet OPTIONS (path 'lake/night=*/checks.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW creators USING parquet OPTIONS (path 'lake/night=*/creators.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW findings USING parquet OPTIONS (path 'lake/night=*/findings.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW hulls USING parquet OPTIONS (path 'lake/night=*/hulls.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW meshes USING parquet OPTIONS (path 'lake/night=*/meshes.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW missing USING parquet OPTIONS (path 'lake/night=*/missing.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW objects USING parquet OPTIONS (path 'lake/night=*/objects.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW owners USING parquet OPTIONS (path 'lake/night=*/owners.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW parcels USING parquet OPTIONS (path 'lake/night=*/parcels.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW parts USING parquet OPTIONS (path 'lake/night=*/parts.parquet', basePath 'lake', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW regions USING parquet OPTIONS (path 'lake/night=*/regions.parquet', basePath 'lake', mergeSchema 'true');
