package dev.nodepath.linux;

import dev.nodepath.linux.namespace.NamedNamespaces;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A kernel in memory: namespaces, links, addresses, routes and settings that behave and fail as Linux does, as far as
 * {@link LinuxNet} can see. The same test cases run against it and against the real kernel.
 *
 * <p>It does not carry packets, run duplicate address detection or give links their link-local IPv6 addresses, and a
 * task of {@link NetworkNamespace#call} runs on a thread of its own but in the real namespace of the process.
 */
public final class FakeLinuxNet implements LinuxNet {
    private final Map<Path, Optional<FakeNamespace>> files = new TreeMap<>();
    private final Map<String, Errno> failing = new HashMap<>();
    private final FakeNamespace host = new FakeNamespace();
    private int openHandles;
    private int callsUntilFailure;
    private boolean failsOn;
    private Errno failure = Errno.UNKNOWN;

    /** A kernel with one namespace, that of this process. */
    public FakeLinuxNet() {
        host.users = 1;
    }

    /**
     * Makes the next call of this name fail, such as {@code createVeth} or {@code create}, before it changes anything.
     */
    public synchronized void failNext(String method, Errno errno) {
        failing.put(method, errno);
    }

    /**
     * Makes the {@code count}th call from now fail, including reads and openings; 1 is the next. A test that counts up
     * from 1 until the work succeeds has seen a failure at every step.
     */
    public synchronized void failCall(int count, Errno errno) {
        callsUntilFailure = count;
        failsOn = false;
        failure = errno;
    }

    /** Makes the {@code count}th call from now and all later ones fail: the remaining state is that after a kill. */
    public synchronized void failFrom(int count, Errno errno) {
        failCall(count, errno);
        failsOn = true;
    }

    /** Ends all injected failures that have not happened yet. */
    public synchronized void stopFailing() {
        failing.clear();
        callsUntilFailure = 0;
    }

    /**
     * Makes this process's namespace that of a kernel before 5.18, which does not store the program that added an
     * address.
     */
    public synchronized void forgetAddressProtocols() {
        host.ip().forgetsProtocols = true;
    }

    /** The number of open handles. */
    public synchronized int openHandles() {
        return openHandles;
    }

    /** The nf_tables of this process's namespace. */
    public synchronized NftTables nftTables() {
        return host.nft();
    }

    /** The nf_tables of this process's namespace, as text to compare. */
    public synchronized String nftState() {
        return host.nft().text();
    }

    /**
     * Makes a VLAN link on a link of this process's namespace, as a person does with
     * {@code ip link add ... type vlan}.
     */
    public synchronized void addVlanLink(String name, String parent) throws LinuxNetException {
        try {
            host.createVlan(host.find(parent).orElseThrow(), name);
        } catch (FakeRefusal refusal) {
            throw new LinuxNetException("addVlanLink " + name, refusal.errno().number(), "");
        }
    }

    /** Lets a process run in a named namespace, as a container's does. */
    public synchronized void addProcess(long pid, String name) {
        FakeNamespace namespace = Optional.ofNullable(files.get(path(name)))
                .flatMap(found -> found)
                .orElseThrow(() -> new IllegalArgumentException("no namespace " + name));
        namespace.users++;
        files.put(processPath(pid), Optional.of(namespace));
    }

    /** Ends a process. */
    public synchronized void removeProcess(long pid) {
        unlink(processPath(pid));
    }

    /** Puts a file there that is no namespace, such as a leftover of a dead runtime. */
    public synchronized void addPlainFile(Path path) {
        files.put(canonical(path), Optional.empty());
    }

    @Override
    public synchronized NetworkNamespace current() throws LinuxNetException {
        injectOpening("current", "");
        return handle(host);
    }

    @Override
    public synchronized NetworkNamespace open(Path path) throws LinuxNetException {
        injectOpening("open", path);
        return openFile(path);
    }

    @Override
    public synchronized NetworkNamespace openNamed(String name) throws LinuxNetException {
        Path path = path(name);
        injectOpening("openNamed", name);
        return openFile(path);
    }

    @Override
    public synchronized NetworkNamespace create(String name) throws LinuxNetException {
        Path path = path(name);
        injectOpening("create", name);
        if (files.containsKey(path)) {
            throw new LinuxNetException("create namespace " + name, Errno.EEXIST.number(), "");
        }
        FakeNamespace namespace = new FakeNamespace();
        namespace.users = 1;
        files.put(path, Optional.of(namespace));
        return handle(namespace);
    }

    @Override
    public synchronized void delete(String name) throws LinuxNetException {
        Path path = path(name);
        injectOpening("delete", name);
        if (!files.containsKey(path)) {
            throw new LinuxNetException("delete namespace " + name, Errno.ENOENT.number(), "");
        }
        unlink(path);
    }

    /** The names of all named namespaces, sorted. */
    public synchronized List<String> names() {
        List<String> names = new ArrayList<>();
        for (Path path : files.keySet()) {
            if (NamedNamespaces.DIRECTORY.equals(path.getParent())) {
                names.add(String.valueOf(path.getFileName()));
            }
        }
        return names;
    }

    @Override
    public Path path(String name) {
        return NamedNamespaces.path(name);
    }

    /** Fails if a test has asked for it. */
    void inject(String method) throws FakeRefusal {
        Errno named = failing.remove(method);
        if (named != null) {
            throw new FakeRefusal(named);
        }
        if (callsUntilFailure > 0 && --callsUntilFailure == 0) {
            callsUntilFailure = failsOn ? 1 : 0;
            throw new FakeRefusal(failure);
        }
    }

    /** A handle was closed. */
    void release(FakeNamespace namespace) {
        openHandles--;
        drop(namespace);
    }

    private void injectOpening(String method, Object argument) throws LinuxNetException {
        try {
            inject(method);
        } catch (FakeRefusal refusal) {
            throw new LinuxNetException(method + " " + argument, refusal.errno().number(), "");
        }
    }

    private NetworkNamespace openFile(Path path) throws LinuxNetException {
        if (path.equals(Path.of("/proc/self/ns/net"))) {
            return handle(host);
        }
        Optional<FakeNamespace> file = files.get(canonical(path));
        if (file == null) {
            throw new LinuxNetException("open namespace " + path, Errno.ENOENT.number(), "");
        }
        if (file.isEmpty()) {
            throw new LinuxNetException("open namespace " + path, Errno.EINVAL.number(), "");
        }
        return handle(file.get());
    }

    private NetworkNamespace handle(FakeNamespace namespace) {
        namespace.users++;
        openHandles++;
        return new FakeHandle(this, namespace);
    }

    private void unlink(Path path) {
        Optional<FakeNamespace> file = files.remove(path);
        if (file != null) {
            file.ifPresent(this::drop);
        }
    }

    private void drop(FakeNamespace namespace) {
        if (--namespace.users == 0) {
            namespace.destroy();
        }
    }

    /** {@code /var/run} is a link to {@code /run} everywhere. */
    private static Path canonical(Path path) {
        Path absolute = path.toAbsolutePath().normalize();
        Path varRun = Path.of("/var/run");
        return absolute.startsWith(varRun) ? Path.of("/run").resolve(varRun.relativize(absolute)) : absolute;
    }

    private static Path processPath(long pid) {
        return Path.of("/proc/" + pid + "/ns/net");
    }
}
