package dev.nodepath.cni;

import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.nio.file.Path;
import java.util.List;

/** A kernel as a process in a named namespace sees it, so that a test can play several nodes. */
record NodeNet(LinuxNet kernel, String node) implements LinuxNet {
    @Override
    public NetworkNamespace current() throws LinuxNetException {
        return kernel.openNamed(node);
    }

    @Override
    public NetworkNamespace open(Path path) throws LinuxNetException {
        return kernel.open(path);
    }

    @Override
    public NetworkNamespace openNamed(String name) throws LinuxNetException {
        return kernel.openNamed(name);
    }

    @Override
    public NetworkNamespace openProcess(long pid) throws LinuxNetException {
        return kernel.openProcess(pid);
    }

    @Override
    public NetworkNamespace create(String name) throws LinuxNetException {
        return kernel.create(name);
    }

    @Override
    public void delete(String name) throws LinuxNetException {
        kernel.delete(name);
    }

    @Override
    public List<String> names() throws LinuxNetException {
        return kernel.names();
    }

    @Override
    public Path path(String name) {
        return kernel.path(name);
    }
}
