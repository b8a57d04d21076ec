package dev.nodepath.linux.nftables;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A network namespace of a test's own with its nf_tables, empty at first. Needs root: for tests tagged netns. */
public final class NftNamespace implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final KernelLinuxNet kernel = new KernelLinuxNet();
    private final String name = "nft-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    private final NetworkNamespace namespace = kernel.create(name);
    private final NftTables tables;

    private NftNamespace() throws LinuxNetException {
        try {
            this.tables = others();
        } catch (LinuxNetException e) {
            namespace.close();
            kernel.delete(name);
            throw e;
        }
    }

    /** Makes a new one. */
    public static NftNamespace create() throws LinuxNetException {
        return new NftNamespace();
    }

    /** Its name below {@code /run/netns}. */
    public String name() {
        return name;
    }

    /** The open namespace, which closes with this. */
    public NetworkNamespace opened() {
        return namespace;
    }

    /** Its tables, over a socket of their own. */
    public NftTables tables() {
        return tables;
    }

    /** Its tables over another socket, like another program's; the caller closes them. */
    NftTables others() throws LinuxNetException {
        return namespace.call(kernel::nftTables);
    }

    /**
     * Runs {@code nft} inside.
     *
     * @return its output
     * @throws IOException if it failed or said anything to standard error
     */
    String nft(String... arguments) throws IOException {
        return nftWith("", arguments);
    }

    /** Makes {@code nft} take this text. */
    public void load(String text) throws IOException {
        String printed = nftWith(text, "-f", "-");
        assert printed.isEmpty() : printed;
    }

    /** The listing of all tables, without counters. */
    String listing() throws IOException {
        return nft("-s", "list", "ruleset");
    }

    private String nftWith(String input, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("nft"));
        command.addAll(List.of(arguments));
        Process process = namespace.call(
                () -> new ProcessBuilder(command).redirectErrorStream(true).start());
        try (var stream = process.getOutputStream()) {
            stream.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It ended before it had read all; it says why.
        }
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(command + ": " + printed);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return printed;
    }

    @Override
    public void close() throws LinuxNetException {
        tables.close();
        namespace.close();
        kernel.delete(name);
    }
}
