package dev.nodepath.cni.protocol;

import java.util.Optional;

/** The commands of the CNI specification ({@code CNI_COMMAND}). */
public enum CniCommand {
    ADD(CniVersion.V0_1_0),
    DEL(CniVersion.V0_1_0),
    CHECK(CniVersion.V0_4_0),
    GC(CniVersion.V1_1_0),
    STATUS(CniVersion.V1_1_0),
    VERSION(CniVersion.V0_1_0);

    private final CniVersion since;

    CniCommand(CniVersion since) {
        this.since = since;
    }

    /** Finds a command by its name. Case matters. */
    static Optional<CniCommand> of(String name) {
        for (CniCommand command : values()) {
            if (command.name().equals(name)) {
                return Optional.of(command);
            }
        }
        return Optional.empty();
    }

    /** The first CNI version that has this command. */
    public CniVersion since() {
        return since;
    }

    /** Whether the command removes resources. Such a command needs fewer fields of the configuration. */
    public boolean removes() {
        return this == DEL || this == GC;
    }

    /** Whether the runtime must set this variable. */
    public boolean requires(CniVariable variable) {
        return switch (variable) {
            case CNI_COMMAND -> true;
            case CNI_CONTAINERID, CNI_IFNAME -> this == ADD || this == DEL || this == CHECK;
            case CNI_NETNS -> this == ADD || this == CHECK;
            case CNI_ARGS -> false;
            case CNI_PATH -> this != VERSION;
        };
    }
}
