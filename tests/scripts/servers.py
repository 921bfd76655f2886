#!/usr/bin/env python3
"""Tests servers of MariaDB and PostgreSQL: that databases on them are read, and that nobody is hurt by it.

Usage: servers.py HULLMARK DATA [NAME...]

The script starts both servers in a folder of its own, on sockets, and ends them. tests/servers.sh installs what it
needs. Names select tests.
"""

import atexit
import contextlib
import csv
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import dumps
import server_tables

SECRET = "s3cr et'%@/?"
# A column of the type FLOAT has six digits in the text protocol, and some figures are differences of two numbers.
SIX_DIGITS = 2e-5
# The longest time that a writer may wait for us.
WAIT = 0.100
DONE, INCOMPLETE = 0, 3

work = pathlib.Path(tempfile.mkdtemp(prefix="hullmark-servers-"))
hullmark = data = None
running = []


def check(is_true, words):
    if not is_true:
        sys.exit(f"FAILED: {words}")


class Server:
    """A server in a folder. As root, it runs as somebody else, because servers refuse root."""

    def __init__(self):
        self.folder = work / self.name
        self.folder.mkdir()
        self.user = "nobody" if os.getuid() == 0 else None
        if self.user:
            account = pwd.getpwnam(self.user)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        self.process = None

    def as_user(self, *command):
        command = list(map(str, command))
        return ["setpriv", "--reuid", self.user, "--regid", "nogroup", "--clear-groups", *command] if self.user else command

    def start(self, *command):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            self.as_user(*command), stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder,
            start_new_session=True)
        if self not in running:
            running.append(self)
        for _ in range(300):
            if self.process.poll() is None and self.is_ready():
                return
            time.sleep(0.1)
        print((self.folder / "log").read_text(errors="replace")[-2000:], file=sys.stderr)
        sys.exit(f"{self.name} does not start")

    # Ends the server at once, with all its processes.
    at_once = signal.SIGKILL

    def kill(self, how=None):
        """Ends the server and all its processes."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, how or self.at_once)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def sql(self, statements, database=None):
        """Runs statements as the administrator. Returns the lines of the answer."""
        text = statements if isinstance(statements, str) else "".join(statements)
        done = subprocess.run(
            self.client(database), input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        check(done.returncode == 0, f"{self.name}: {done.stderr.decode(errors='replace')[:500]}")
        return done.stdout.decode().splitlines()

    def fill(self, database, version, region, **options):
        self.create(database)
        folder = data / "databases/opensim-0.9.2.2" / region
        self.sql(server_tables.statements(self.product, version, folder, **options), database)


class MariaDb(Server):
    name, product, kind = "mariadb", "mysql", "mysql"

    def __init__(self):
        super().__init__()
        self.socket, self.data = self.folder / "socket", self.folder / "data"
        subprocess.run(
            self.as_user("mariadb-install-db", "--no-defaults", f"--datadir={self.data}", "--skip-test-db",
                         "--auth-root-authentication-method=normal"),
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder)
        self.begin()
        self.sql(f"CREATE USER reader@localhost IDENTIFIED BY '{SECRET.replace(chr(39), chr(39) * 2)}';")

    def begin(self):
        self.start(
            shutil.which("mariadbd") or "/usr/sbin/mariadbd", "--no-defaults", f"--datadir={self.data}", "--skip-networking",
            f"--socket={self.socket}", f"--pid-file={self.folder / 'pid'}", "--innodb-buffer-pool-size=128M",
            "--max-allowed-packet=256M", "--innodb-flush-log-at-trx-commit=0", "--character-set-server=utf8mb3")

    def client(self, database=None, *options):
        return ["mariadb", "--no-defaults", f"--socket={self.socket}", "-uroot", "-N", "--max-allowed-packet=256M", *options,
                *([database] if database else [])]

    def is_ready(self):
        return subprocess.run([*self.client(), "-e", "SELECT 1"], check=False, capture_output=True).returncode == 0

    def create(self, database):
        self.sql(f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database}; "
                 f"GRANT SELECT ON {database}.* TO reader@localhost;")

    def url(self, database, user="reader"):
        return f"mysql://{user}@/{database}?socket={self.socket}"

    def dump(self, database, path):
        with open(path, "wb") as file:
            subprocess.run(["mariadb-dump", "--no-defaults", f"--socket={self.socket}", "-uroot", "--single-transaction",
                            "--max-allowed-packet=256M", "--skip-dump-date", "--set-charset", database],
                           check=True, stdout=file)
        with open(path, "ab") as file:
            file.write(b"-- Dump completed\n")

    def readers(self):
        """Threads of the reader, with their statements."""
        lines = self.sql("SELECT ID, IFNULL(INFO, '') FROM information_schema.PROCESSLIST WHERE USER = 'reader'")
        return [line.split("\t", 1) for line in lines]

    def end_reader(self, thread):
        subprocess.run([*self.client(), "-e", f"KILL {thread}"], check=False, capture_output=True)


class PostgreSql(Server):
    name, product, kind = "postgresql", "postgresql", "postgresql"
    # Its processes are in groups of their own, and end when the first one tells them.
    at_once = signal.SIGQUIT

    def __init__(self):
        super().__init__()
        self.data = self.folder / "data"
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        self.programs = pathlib.Path(found[-1]) if found else pathlib.Path(shutil.which("initdb")).parent
        secret = self.folder / "secret"
        secret.write_text("administrator\n")
        secret.chmod(0o644)
        subprocess.run(
            self.as_user(self.programs / "initdb", "-D", self.data, "-U", "administrator", "--auth=scram-sha-256",
                         f"--pwfile={secret}", "--encoding=UTF8", "--no-sync"),
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        os.environ["PGPASSWORD"] = "administrator"
        self.begin()
        self.sql(f"CREATE USER reader PASSWORD '{SECRET.replace(chr(39), chr(39) * 2)}';", "postgres")

    def begin(self):
        self.start(self.programs / "postgres", "-D", self.data, "-c", "listen_addresses=", "-k", self.folder, "-F")

    def client(self, database=None, *options):
        return [str(self.programs / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder),
                "-U", "administrator", *options, database or "postgres"]

    def is_ready(self):
        return subprocess.run([*self.client(), "-c", "SELECT 1"], check=False, capture_output=True).returncode == 0

    def create(self, database):
        self.sql(f"DROP DATABASE IF EXISTS {database};\n")
        self.sql(f"CREATE DATABASE {database};\n")
        self.sql("ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO reader;", database)

    def url(self, database, user="reader"):
        return f"postgres://{user}@/{database}?socket={self.folder}"

    def dump(self, database, path):
        subprocess.run([self.programs / "pg_dump", "-h", self.folder, "-U", "administrator", "-f", path, database], check=True)

    def readers(self):
        lines = self.sql("SELECT pid || '|' || query FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'")
        return [line.split("|", 1) for line in lines]

    def end_reader(self, process):
        self.sql(f"SELECT pg_terminate_backend({process})")


class Run:
    """A run of hullmark, and its report. `begin` does not wait for its end."""
    count = 0

    def __init__(self, *arguments, password=SECRET, **more):
        Run.count += 1
        self.out = work / f"out-{Run.count}"
        self.words = work / f"out-{Run.count}.txt"
        secret = work / "password"
        secret.write_text(f"{password}\n")
        environment = {name: text for name, text in os.environ.items() if name != "HULLMARK_DB_PASSWORD"} | more
        given = [] if password is None else ["--password-file", secret]
        with open(self.words, "wb") as words:
            self.process = subprocess.Popen(
                [hullmark, "audit", *arguments, *given, "--out", self.out, "--format", "csv"],
                stdout=words, stderr=words, stdin=subprocess.DEVNULL, env=environment)

    def end(self, expected):
        code = self.process.wait()
        text = self.words.read_text()
        check(code == expected, f"exit {code} instead of {expected}: {text}")
        files = [self.words, *self.out.rglob("*")]
        leaks = [path for path in files if path.is_file() and SECRET.encode() in path.read_bytes()]
        check(not leaks, f"the password is in {leaks}")
        return self

    def rows(self, table):
        with open(self.out / f"{table}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def findings(self, code):
        return [row["message"] for row in self.rows("findings") if row["code"] == code]

    def figures(self):
        tables = ["regions", "parcels", "objects", "parts"]
        return {table: [row for row in self.rows(table) if row.get("role", "rezzed") == "rezzed"] for table in tables}

    def everything(self, *left_out):
        """All rows of all tables, without what names the input."""
        found = {}
        for path in sorted(self.out.glob("*.csv")):
            rows = self.rows(path.stem)
            for row in rows:
                for column in ["archive", "fingerprint", *left_out]:
                    row.pop(column, None)
            found[path.stem] = sorted(tuple(row.items()) for row in rows)
        return found


def archive(region):
    """The figures of the archive from which a true OpenSimulator made the database."""
    return Run(data / f"{region}.oar", password=None).end(DONE).figures()


def wait_for(server, process, table):
    """Waits until hullmark asks for a table. Returns the thread of the server."""
    word = {"mysql": f"`{table}`", "postgresql": f'"{table}"'}[server.product]
    while process.poll() is None:
        for thread, statement in server.readers():
            if word in statement:
                return thread
    sys.exit(f"FAILED: no statement with {word} was seen")


def same_as_archive_and_dump(server, versions):
    """Objects have the figures of the archive, and each table is that of a dump of the same database."""
    expected = {region: archive(region) for region in dumps.REGIONS}
    for number, (version, options) in enumerate(versions.items()):
        region = dumps.REGIONS[number % 2]
        database = f"v{version}"
        server.fill(database, version, region, **options)
        run = Run(server.url(database)).end(DONE)
        is_float = server.product == "mysql" and version >= server_tables.FLOATS
        dumps.ROUNDING = SIX_DIGITS if is_float else 2e-6
        dumps.compare(f"{server.name} {version}", expected[region], run.figures())
        is_outside = options.get("engine") == "MyISAM"
        outside = run.findings("DBS010")
        check(bool(outside) == is_outside and all("prims" in words for words in outside), f"DBS010: {outside}")
        kinds = {row["kind"] for row in run.rows("archives")}
        check(kinds == {server.kind}, f"kind {kinds}")
        path = work / f"{database}.sql"
        server.dump(database, path)
        dump = Run(path, password=None).end(DONE)
        ours, theirs = run.everything(), dump.everything()
        for side in ours, theirs:
            side["regions"] = [tuple(pair for pair in row if pair[0] not in dumps.STATUS)
                               for row in side["regions"]]
        for table in ["regions", "parcels", "objects", "parts", "meshes", "assets", "textures", "inventory"]:
            if table in ours:
                check(ours[table] == theirs[table], f"{server.name} {version}: {table} differs from the dump: "
                      f"{difference(ours[table], theirs[table])}")
        print(f"{server.name} {version}: {len(run.rows('objects'))} objects as in the archive and in the dump")


def difference(ours, theirs):
    for one, other in zip(ours, theirs):
        pairs = [pair for pair in zip(one, other) if pair[0] != pair[1]]
        if pairs:
            return pairs[:5]
    return f"{len(ours)} and {len(theirs)} rows"


def refusals(server):
    """What cannot be read is one sentence, and exit code 3."""
    server.fill("refused", list(VERSIONS[server.product])[-1], "faraway")
    url = server.url("refused")

    def sentence(words, *arguments, **options):
        run = Run(*arguments, **options).end(INCOMPLETE)
        found = run.findings("RUN001")
        check(len(found) == 1 and words in found[0], f"{words}: {found}")

    sentence("refuses the user \"reader\" with this password", url, password="wrong")
    sentence("refuses the user \"reader\" without a password", url, password=None)
    sentence("no database \"nowhere\"", server.url("nowhere"))
    sentence("connection to the server failed", url.replace(str(server.folder), str(work / "nobody")))
    # The password of the environment counts without a file.
    Run(url, password=None, HULLMARK_DB_PASSWORD=SECRET).end(DONE)
    for given in [url.replace("reader@", "reader:hidden@"), f"{url}&password=hidden"]:
        done = subprocess.run([hullmark, "audit", given], check=False, capture_output=True, text=True)
        said = done.stdout + done.stderr
        check(done.returncode == 2 and "hidden" not in said, f"exit {done.returncode}: {said}")
    print(f"{server.name}: each refusal is one sentence, and no password is shown")


def damage(server):
    """A column that is gone, and a table that the user may not read."""
    version = list(VERSIONS[server.product])[-1]
    quote = "`%s`" if server.product == "mysql" else '"%s"'
    server.fill("damaged", version, "faraway")
    whole = Run(server.url("damaged")).end(DONE)
    server.sql(f"ALTER TABLE primshapes DROP COLUMN {quote % 'Media'};", "damaged")
    check(Run(server.url("damaged")).end(DONE).figures() == whole.figures(), "a column that not all versions have")
    server.sql(f"ALTER TABLE primshapes DROP COLUMN {quote % 'ScaleX'};", "damaged")
    run = Run(server.url("damaged")).end(INCOMPLETE)
    found = " ".join(run.findings("RUN001"))
    check("no column ScaleX" in found and "shapes are unknown" in found, found)
    check(len(run.rows("parcels")) == len(whole.rows("parcels")) > 0, "parcels remain")
    check(not run.rows("objects"), "prims of unknown shape are no objects")
    server.sql(f"ALTER TABLE primshapes ADD {quote % 'ScaleX'} double precision; "
               f"ALTER TABLE prims DROP COLUMN {quote % 'SceneGroupID'};", "damaged")
    check("no column SceneGroupID" in " ".join(Run(server.url("damaged")).end(INCOMPLETE).findings("RUN001")), "prims")
    print(f"{server.name}: a missing column is a finding, and the rest is read")


@contextlib.contextmanager
def locked(server, database, table):
    """Another session has a lock on a table, until it or the server ends."""
    begin = {"mysql": f"LOCK TABLES {table} WRITE;\n", "postgresql": f"BEGIN; LOCK TABLE {table};\n"}[server.product]
    session = subprocess.Popen(
        server.client(database), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    session.stdin.write(f"{begin}SELECT 'locked';\n".encode())
    session.stdin.flush()
    time.sleep(1)
    try:
        yield
    finally:
        # A server that was killed took the session along.
        with contextlib.suppress(BrokenPipeError):
            session.stdin.close()
        session.wait()


def locks(server):
    """Another session locks a table: the rest is read."""
    server.fill("locked", list(VERSIONS[server.product])[-1], "faraway")
    whole = Run(server.url("locked")).end(DONE)
    with locked(server, "locked", "primitems"):
        run = Run(server.url("locked")).end(INCOMPLETE)
    found = " ".join(run.findings("RUN001"))
    check("another session locked a table" in found, found)
    check(len(run.rows("objects")) >= len(whole.figures()["objects"]), "objects are read")
    print(f"{server.name}: a locked table is a finding, and the rest is read")


def multiply(server, database, times):
    """Makes prims many times as many, so that they take a while."""
    ids = {"mysql": "UUID()", "postgresql": "gen_random_uuid()"}[server.product]
    quote = "`%s`" if server.product == "mysql" else '"%s"'
    for table, column in [("prims", "UUID"), ("primshapes", "UUID")]:
        names = [name for name, _ in columns_of(server, table)]
        others = ", ".join(quote % name for name in names if name != column)
        for _ in range(times):
            server.sql(f"INSERT INTO {table} ({quote % column}, {others}) SELECT {ids}, {others} FROM {table};", database)


def columns_of(server, table):
    version = list(VERSIONS[server.product])[-1]
    folder = data / "databases/opensim-0.9.2.2/faraway"
    return next(columns for name, columns, _ in server_tables.tables(server.product, version, folder) if name == table)


def kills(server):
    """A connection or a server that ends while hullmark waits for the rows of a table."""
    server.fill("killed", list(VERSIONS[server.product])[-1], "faraway")
    whole = Run(server.url("killed")).end(DONE)
    for table, words in [("prims", "regions are read again in a new snapshot"), ("assets", "assets are read on")]:
        with locked(server, "killed", table):
            run = Run(server.url("killed"))
            server.end_reader(wait_for(server, run.process, table))
        check(run.end(DONE).everything() == whole.everything(), words)
    with locked(server, "killed", "prims"):
        run = Run(server.url("killed"))
        wait_for(server, run.process, "prims")
        server.kill()
    run.end(INCOMPLETE)
    found = run.findings("RUN001")
    check(len(found) == 1 and "connection to the server failed" in found[0], str(found))
    check(len(run.rows("parcels")) == len(whole.rows("parcels")) > 0, "parcels were read before")
    check(not run.findings("DBS001"), "prims that were not read are no orphans")
    server.begin()
    with locked(server, "killed", "assets"):
        run = Run(server.url("killed"))
        wait_for(server, run.process, "assets")
        server.kill()
    run.end(INCOMPLETE)
    check(len(run.rows("objects")) >= len(whole.figures()["objects"]), "objects were read before")
    server.begin()
    print(f"{server.name}: lost connections are made again, and a lost server is a finding")


def uses(server):
    """Only assets in use are read, and a store gives those that another database lacks."""
    version = list(VERSIONS[server.product])[-1]
    quote = "`%s`" if server.product == "mysql" else '"%s"'
    server.fill("used", version, "faraway")
    some = Run(server.url("used")).end(DONE)
    everything = Run(server.url("used"), "--all-assets").end(DONE)
    (all_assets,) = server.sql("SELECT COUNT(*) FROM assets;", "used")
    few, many = (int(run.rows("archives")[0]["assets"]) for run in (some, everything))
    check(0 < few < many == int(all_assets), f"{few} assets in use, {many} of {all_assets}")
    for code in ["AST001", "AST002"]:
        check(some.findings(code) == everything.findings(code), f"{code}: no asset in use is left out")
    # The assets of a grid are in another database.
    server.fill("grid", version, "faraway")
    server.sql((f"DROP TABLE {table};\n" for table in server_tables.FILES["OpenSim.db"]), "grid")
    check("--all-assets" in " ".join(Run(server.url("grid")).end(INCOMPLETE).findings("RUN001")), "assets of nobody")
    server.sql("DROP TABLE assets;", "used")
    stored = Run(server.url("used"), "--assets", server.url("grid")).end(DONE)
    columns = ["land_impact", "physics_weight"]
    figures = lambda run: sorted(tuple(row.get(name) for name in columns) for row in run.figures()["objects"])
    check(figures(stored) == figures(some), "a store gives the same costs")
    # The same assets in the tables of XAssetService.
    names = {name.lower(): quote % name for name, _ in columns_of(server, "assets")}
    upper = server.product == "mysql"
    meta, body = ("XAssetsMeta", "XAssetsData") if upper else ("xassetsmeta", "xassetsdata")
    hashed = f"UNHEX(SHA2({names['data']}, 256))" if upper else f"sha256({names['data']})"
    kind = '"AssetType"'.replace('"', "`") if upper else '"AssetType"'
    server.sql(
        f"CREATE TABLE {meta} AS SELECT {names['id']} AS id, {hashed} AS hash, {names['assettype']} AS {kind} FROM assets; "
        f"ALTER TABLE {meta} ADD PRIMARY KEY (id); "
        f"CREATE TABLE {body} AS SELECT DISTINCT {hashed} AS hash, {names['data']} AS data FROM assets; "
        "DROP TABLE assets;", "grid")
    again = Run(server.url("used"), "--assets", server.url("grid")).end(DONE)
    check(again.everything() == stored.everything(), "XAssets give the same")
    print(f"{server.name}: {few} of {many} assets are in use; stores and XAssets give the same costs")


class Writer(threading.Thread):
    """Writes to tables of MyISAM all the time, and asks the server how long it waited for a lock."""

    def __init__(self, server, database):
        super().__init__(daemon=True)
        self.server, self.database, self.is_over, self.count = server, database, False, 0
        server.sql("SET GLOBAL log_output='TABLE'; SET GLOBAL long_query_time=0; SET GLOBAL slow_query_log=ON; "
                   "TRUNCATE mysql.slow_log;")

    def run(self):
        session = subprocess.Popen(self.server.client(self.database), stdin=subprocess.PIPE)
        while not self.is_over:
            for table, column in [("prims", "CreationDate"), ("assets", "access_time")]:
                session.stdin.write(f"UPDATE {table} SET {column} = {self.count} WHERE {column} >= 0 LIMIT 1;\n".encode())
            session.stdin.flush()
            self.count += 1
            time.sleep(0.005)
        session.stdin.close()
        session.wait()

    def longest(self):
        """Ends the writer. Returns its longest wait in seconds."""
        self.is_over = True
        self.join()
        self.server.sql("SET GLOBAL slow_query_log=OFF;")
        (line,) = self.server.sql(
            "SELECT COUNT(*), IFNULL(MAX(TIME_TO_SEC(lock_time) + MICROSECOND(lock_time) / 1e6), 0) "
            "FROM mysql.slow_log WHERE sql_text LIKE 'UPDATE%'")
        count, longest = line.split("\t")
        return int(count), float(longest)


def writer(server):
    """A writer beside us never waits for long, although readers of MyISAM lock it out."""
    if server.product != "mysql":
        return
    server.fill("busy", 67, "faraway", engine="MyISAM")
    multiply(server, "busy", 4)
    server.sql("ALTER TABLE assets ADD access_time int NOT NULL DEFAULT 0;", "busy")
    beside = Writer(server, "busy")
    beside.start()
    Run(server.url("busy"), "--all-assets").end(DONE)
    count, longest = beside.longest()
    # The same with a plain reader that is slow, to see that this measures anything.
    beside = Writer(server, "busy")
    beside.start()
    plain = subprocess.Popen([*server.client("busy"), "--quick", "-e", "SELECT * FROM prims"], stdout=subprocess.PIPE)
    time.sleep(1.5)
    plain.stdout.close()
    plain.wait()
    _, blocked = beside.longest()
    check(count > 50 and blocked > 1, f"{count} writes, and for a slow reader {blocked} s: nothing was measured")
    check(longest < max(WAIT, blocked / 10), f"{count} writes, the longest waited {longest} s")
    print(f"{server.name}: {count} writes to MyISAM waited at most {longest * 1000:.0f} ms; for a plain reader {blocked:.1f} s")


def speed(server):
    """The time of a scan, and that of the server's own client for the same tables."""
    server.fill("fast", list(VERSIONS[server.product])[-1], "pathfindplayground")
    multiply(server, "fast", 4)
    tables = ["prims", "primshapes", "primitems", "land", "regionsettings", "terrain", "assets"]
    plain = "".join(f"SELECT * FROM {table};\n" for table in tables)

    def client():
        begin = time.monotonic()
        subprocess.run([*server.client("fast"), *(["--quick"] if server.product == "mysql" else [])],
                       input=plain.encode(), stdout=subprocess.DEVNULL, check=True)
        return time.monotonic() - begin

    def scan():
        shutil.rmtree(work / "ledgers", ignore_errors=True)
        begin = time.monotonic()
        subprocess.run([hullmark, "scan", server.url("fast"), "--all-assets", "--ledgers", work / "ledgers", "-q",
                        "--password-file", work / "password"], check=True)
        return time.monotonic() - begin

    (work / "password").write_text(SECRET)
    pairs = [(scan(), client()) for _ in range(3)]
    ours, theirs = (min(times) for times in zip(*pairs))
    print(f"{server.name}: scan {ours:.2f} s, SELECT * by its client {theirs:.2f} s, ratio {ours / theirs:.2f}")


VERSIONS = {
    # 0.7.6 made tables of MyISAM in latin1.
    "mysql": {48: {"engine": "MyISAM", "charset": "latin1"}, 52: {}, 63: {}, 67: {}},
    "postgresql": {40: {}, 52: {}, 58: {}},
}
TESTS = {
    "same": lambda server: same_as_archive_and_dump(server, VERSIONS[server.product]),
    "refusals": refusals, "damage": damage, "locks": locks, "uses": uses, "kills": kills, "writer": writer,
    "speed": speed,
}


def main(program, folder, *names):
    global hullmark, data
    hullmark, data = pathlib.Path(program).resolve(), pathlib.Path(folder).resolve()
    if not (data / "databases/opensim-0.9.2.2").is_dir():
        print("There are no databases, so servers were not tested.", file=sys.stderr)
        return
    work.chmod(0o755)
    products = [product for product in (MariaDb, PostgreSql) if not set(names) & {"mariadb", "postgresql"} or product.name in names]
    for product in products:
        server = product()
        for name, test in TESTS.items():
            # Speed is measured with a release build, on request.
            if name in names or name != "speed" and not set(names) & set(TESTS):
                test(server)
        server.kill(signal.SIGTERM)


def finish():
    for server in running:
        server.kill()
    shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    atexit.register(finish)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main(*sys.argv[1:])
