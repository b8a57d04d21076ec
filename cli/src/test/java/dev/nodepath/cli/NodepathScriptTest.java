package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The JVM options of the launcher, shown by an installed copy with a Java that only prints them. */
class NodepathScriptTest {
    private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1 ";
    private static final String ARCHIVE_STAYS = "-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 ";
    private static final String LARGE_PAGES = "-XX:+UseTransparentHugePages -Dnodepath.large-pages=true ";

    @TempDir
    private Path folder;

    private Path config = Path.of("");

    @BeforeEach
    void install() throws IOException {
        Path scripts = Path.of(System.getProperty("nodepath.home", ".."), "scripts");
        Path lib = Files.createDirectories(folder.resolve("image/lib")).toRealPath();
        Files.writeString(lib.resolve(".place"), lib + "\n");
        Files.createDirectories(folder.resolve("image/bin"));
        for (String script : List.of("nodepath", "follow-place", "java-home")) {
            Files.copy(
                    scripts.resolve(script),
                    folder.resolve("image/bin").resolve(script),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.createDirectories(folder.resolve("jdk/bin"));
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"17.0.15\"\n");
        Path java = Files.writeString(folder.resolve("jdk/bin/java"), "#!/bin/sh\necho \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        // A name with a blank must do as well.
        config = folder.resolve("proxy config.yaml");
    }

    private String options(String... arguments) throws IOException, InterruptedException {
        NodepathScript script = new NodepathScript(
                folder, folder.resolve("image/bin"), List.of("env", "JAVA_HOME=" + folder.resolve("jdk")));
        NodepathScript.Result result = script.run(arguments);
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).hasLineCount(1).endsWith(String.join(" ", arguments) + "\n");
        return result.output();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mode: userspace",
                "kind: KubeProxyConfiguration\nmode:   \"userspace\"\nclusterCIDR: 10.244.0.0/16\n",
                "  mode: 'userspace'  # or iptables\n",
                "{\"kind\": \"KubeProxyConfiguration\", \"mode\": \"userspace\"}\n",
                "{\"clusterCIDR\":\"\",\"mode\":\"userspace\",\"portRange\":\"\"}",
                "{ \"mode\" : \"userspace\" , \"portRange\" : \"\" }\n",
                "{\n\t\"kind\" : \"KubeProxyConfiguration\",\n\t\"mode\" : \"userspace\"\n}\n",
                "kind: KubeProxyConfiguration\r\nmode: userspace\r\nclusterCIDR: 10.244.0.0/16\r\n",
                "{\r\n  \"mode\": \"userspace\"\r\n}\r\n",
                "mode : userspace\n",
            })
    void bothCompilersForAConfigurationOfUserspaceMode(String text) throws Exception {
        Files.writeString(config, text);
        assertThat(options("agent", "--config=" + config)).doesNotContain(ONE_COMPILER);
        assertThat(options("proxy", "--v=2", "--config", config.toString(), "--hostname-override=n1"))
                .doesNotContain(ONE_COMPILER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "mode: iptables # not userspace\n",
                "# iptables, nftables or userspace\nmode: \"\"\n",
                "#mode: userspace\n",
                "featureMode: userspace\n",
                "{\"featureMode\" : \"userspace\"}\r\n",
                "mode: userspaces\n",
                "mode: iptables # one of iptables, mode: userspace\n",
            })
    void oneCompilerForAnyOtherConfiguration(String text) throws Exception {
        Files.writeString(config, text);
        assertThat(options("agent", "--config=" + config)).contains(ONE_COMPILER);
        assertThat(options("proxy", "--config", config.toString())).contains(ONE_COMPILER);
    }

    @Test
    void aFileThatIsNoneIsLeftToTheProgram() throws Exception {
        assertThat(options("agent", "--config=" + config)).contains(ONE_COMPILER);
        assertThat(options("agent", "--config", folder.toString())).contains(ONE_COMPILER);
        assertThat(options("agent", "--config")).contains(ONE_COMPILER);
    }

    @Test
    void theCommandLineDecidesToo() throws Exception {
        assertThat(options("proxy", "--mode=userspace")).doesNotContain(ONE_COMPILER);
        assertThat(options("agent", "--proxy-mode", "userspace")).doesNotContain(ONE_COMPILER);
        assertThat(options("agent", "--proxy-mode=iptables")).contains(ONE_COMPILER);
        Files.writeString(config, "mode: userspace\n");
        assertThat(options("render", "--config=" + config)).contains(ONE_COMPILER);
    }

    @Test
    void theProgramIsCalledAsItWasTyped() throws Exception {
        String typed = folder.resolve("image/bin/nodepath").toString();
        assertThat(options("render")).contains(" -Dnodepath.program=" + typed + " ");

        assertThat(typed("../image/bin/nodepath")).contains(" -Dnodepath.program=../image/bin/nodepath ");
        Files.createSymbolicLink(folder.resolve("image/np"), Path.of("bin/nodepath"));
        assertThat(typed("./np")).contains(" -Dnodepath.program=./np ");
        assertThat(typed("PATH=$PWD/bin:$PATH nodepath")).contains(" -Dnodepath.program=nodepath ");
    }

    private String typed(String command) throws IOException, InterruptedException {
        String environment = "JAVA_HOME=" + folder.resolve("jdk") + " ";
        return NodepathScript.runLine(folder, folder.resolve("image"), environment + command + " render")
                .output();
    }

    @Test
    void theArchiveOfClassesIsUsedWhereThereIsOne() throws Exception {
        assertThat(options("render")).doesNotContain("SharedArchiveFile").contains("-Xshare:auto -Xlog:cds*=off ");

        Path archive = Files.createFile(folder.resolve("image/lib/nodepath.jsa"));

        // The emulator gives the flag to the JVMs that it starts.
        String flag = "-XX:SharedArchiveFile=" + archive;
        assertThat(options("render")).contains(" " + flag + " -Dnodepath.sharing=" + flag + " ");
    }

    /** Their JVM corrects all pointers of its archive when it starts, so it has few classes that others load. */
    @Test
    void agentsAndProxiesHaveAnArchiveOfTheirOwn() throws Exception {
        String agents =
                "-XX:SharedArchiveFile=" + Files.createFile(folder.resolve("image/lib/nodepath-agent.jsa")) + " ";
        for (String command : List.of("agent", "proxy", "render")) {
            assertThat(options(command))
                    .as("%s in the image, which has no other", command)
                    .contains(agents);
        }

        String others = "-XX:SharedArchiveFile=" + Files.createFile(folder.resolve("image/lib/nodepath.jsa")) + " ";
        assertThat(options("agent")).contains(agents);
        assertThat(options("proxy")).contains(agents);
        assertThat(options("render")).contains(others);
        assertThat(options("cni-server")).doesNotContain("SharedArchiveFile");
    }

    @Test
    void aCommandHasItsArchiveAtTheAddressThatItWasMadeFor() throws Exception {
        assertThat(options("render")).contains(ARCHIVE_STAYS);
        for (String command : List.of("agent", "proxy", "cni-server")) {
            assertThat(options(command)).as(command).doesNotContain(ARCHIVE_STAYS);
        }
    }

    @ParameterizedTest
    @CsvSource(nullValues = "none", textBlock = """
                    always [madvise] never, 2097152,   true
                    always [madvise] never, 536870912, false
                    always [madvise] never, none,      false
                    [always] madvise never, 2097152,   false
                    always madvise [never], 2097152,   false
                    '',                     2097152,   false
                    none,                   none,      false
                    """)
    void aCommandsHeapIsInLargePagesWhereTheKernelGivesThemToThoseThatAsk(
            @Nullable String enabled, @Nullable String size, boolean given) throws Exception {
        Path kernel = Files.createDirectories(folder.resolve("kernel"));
        Path script = folder.resolve("image/bin/nodepath");
        Files.writeString(
                script, Files.readString(script).replace("/sys/kernel/mm/transparent_hugepage", kernel.toString()));
        if (enabled != null) {
            Files.writeString(kernel.resolve("enabled"), enabled);
        }
        if (size != null) {
            Files.writeString(kernel.resolve("hpage_pmd_size"), size + "\n");
        }
        assertThat(options("render").contains(LARGE_PAGES)).isEqualTo(given);
        for (String command : List.of("agent", "proxy", "cni-server")) {
            assertThat(options(command)).as(command).doesNotContain("UseTransparentHugePages");
        }
    }

    /** For example a distribution's own build. It prints its version itself. */
    @Test
    void aJavaNeedNotHaveAFileThatNamesItsVersion() throws Exception {
        Files.delete(folder.resolve("jdk/release"));
        Files.writeString(folder.resolve("jdk/bin/java"), """
                #!/bin/sh
                if [ "$1" = -XshowSettings:properties ]; then
                    printf '    java.home = %%s\\n    java.version = 17.0.15\\n' '%s'
                    exit
                fi
                echo "$@"
                """.formatted(folder.resolve("jdk")));
        assertThat(options("render")).contains(" dev.nodepath.cli.Nodepath render");
    }
}
