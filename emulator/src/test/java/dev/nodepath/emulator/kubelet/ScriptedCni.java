package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A CNI plugin that fails as often as its test asks for. Each Pod gets 127.0.0.1. */
final class ScriptedCni implements CniPlugin {
    final AtomicInteger failingAdds = new AtomicInteger();
    final AtomicInteger failingDeletes = new AtomicInteger();
    /** The Pods of DELs that succeeded. */
    final List<String> deleted = new CopyOnWriteArrayList<>();
    /** The ADDs of Pods with this beginning of their name fail. */
    volatile String cutOff = "-";

    /** A DEL throws an unexpected exception. */
    volatile boolean broken;

    @Override
    public List<IpAddress> add(PodSandbox sandbox, List<ContainerSpec.Port> hostPorts) throws IOException {
        if (sandbox.pod().name().startsWith(cutOff) || failingAdds.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IOException("ADD fails");
        }
        return List.of(IpAddress.parse("127.0.0.1"));
    }

    @Override
    public void delete(PodSandbox sandbox) throws IOException {
        if (broken) {
            throw new IllegalStateException("broken");
        }
        if (failingDeletes.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IOException("DEL fails");
        }
        deleted.add(sandbox.pod().name());
    }
}
