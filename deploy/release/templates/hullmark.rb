class Hullmark < Formula
  desc "Audit exports of Second Life and OpenSimulator regions"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@DOWNLOAD@/@FILE:aarch64-apple-darwin@"
      sha256 "@SHA:aarch64-apple-darwin@"
    end
    on_intel do
      url "@DOWNLOAD@/@FILE:x86_64-apple-darwin@"
      sha256 "@SHA:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@DOWNLOAD@/@FILE:aarch64-unknown-linux-musl@"
      sha256 "@SHA:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@DOWNLOAD@/@FILE:x86_64-unknown-linux-musl@"
      sha256 "@SHA:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "hullmark"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/hullmark.bash" => "hullmark"
    fish_completion.install "completions/hullmark.fish"
    zsh_completion.install "completions/hullmark.zsh" => "_hullmark"
    pkgshare.install "sample_data"
    doc.install "README.md", "THIRD-PARTY.txt"
  end

  test do
    system bin/"hullmark", "audit", pkgshare/"sample_data/regions/over-the-cap.oar", "--out", testpath/"report"
    assert_path_exists testpath/"report/audit.html"
  end
end
