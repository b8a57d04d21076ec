package dev.nodepath.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftRefusedException;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import org.junit.jupiter.api.Test;

class FakeNftTablesTest implements NftTablesContract {
    private static final NftTransaction TABLE_ADDED = NftTransaction.of(List.of(new NftChange.AddTable(TABLE)));
    private final FakeNftTables fake = new FakeNftTables();

    @Override
    public NftTables tables() {
        return fake;
    }

    @Test
    void refusesWhatATestSays() throws Exception {
        fake.refuse(change -> change instanceof NftChange.AddTable);
        NftRefusedException refusal = catchThrowableOfType(NftRefusedException.class, () -> fake.apply(TABLE_ADDED));
        assertThat(refusal.changes()).containsOnlyKeys(0);
        assertThat(fake.transactions()).isEmpty();
        fake.refuse(change -> false);
        fake.apply(TABLE_ADDED);
        assertThat(fake.transactions()).hasSize(1);
    }

    @Test
    void changesAsAnotherProgram() throws Exception {
        int before = fake.generation();
        fake.changeAsAnother(new NftChange.AddTable(TABLE));
        assertThat(fake.generation()).isEqualTo(before + 1);
        assertThat(fake.transactions()).isEmpty();
    }

    @Test
    void refusesLargeTransactionsAndLosesAnswers() throws Exception {
        fake.limitTransactions(10);
        assertThat(catchThrowableOfType(LinuxNetException.class, () -> fake.apply(TABLE_ADDED))
                        .errno())
                .isEqualTo(Errno.EMSGSIZE);
        assertThat(fake.read(TABLE)).isEmpty();
        fake.limitTransactions(10_000);
        fake.loseNextAnswer();
        assertThat(catchThrowableOfType(LinuxNetException.class, () -> fake.apply(TABLE_ADDED))
                        .errno())
                .isEqualTo(Errno.ENOBUFS);
        assertThat(fake.read(TABLE)).isPresent();
    }
}
